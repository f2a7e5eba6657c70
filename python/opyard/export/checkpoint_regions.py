"""Notes which ops of the forward pass run under `torch.utils.checkpoint`.

AOTAutograd traces without the hooks on saved tensors by which checkpointing
recomputes. So the function under a checkpoint runs plainly, each of its nodes
remembers its checkpoints, and `recomputation.py` repeats them afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from unittest import mock

import torch
import torch.fx.traceback as fx_traceback
from torch.fx import Node
from torch.utils import checkpoint

_KEY = "opyard_checkpoints"
_SAVED = (checkpoint.CheckpointPolicy.MUST_SAVE, checkpoint.CheckpointPolicy.PREFER_SAVE)


@dataclass(frozen=True)
class Checkpoint:
    """One call of `checkpoint`; `is_whole`: recomputed to its end, not to the last saved tensor."""

    number: int
    is_whole: bool


class CheckpointRegions:
    """Runs checkpointed functions once and writes their checkpoints into the nodes' metadata."""

    def __init__(self) -> None:
        self._open: list[Checkpoint] = []
        self._num_calls = 0
        self.gave_no_gradient = False  # a reentrant one to what is inside

    def restart(self) -> None:
        """Forgets all calls: the tracer runs the forward pass twice."""
        self._open = []
        self._num_calls = 0
        self._publish()

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Takes the place of what `checkpoint` calls, in both of its variants."""
        with ExitStack() as stack:
            for name, own in (
                ("_checkpoint_without_reentrant_generator", self._run_without_reentrance),
                ("CheckpointFunction", _Reentrant(self)),
            ):
                stack.enter_context(mock.patch.object(checkpoint, name, own))
            yield

    @contextmanager
    def region(self, *, is_whole: bool) -> Iterator[None]:
        """One call of `checkpoint`."""
        self._num_calls += 1
        self._open.append(Checkpoint(self._num_calls, is_whole))
        self._publish()
        try:
            yield
        finally:
            self._open.pop()
            self._publish()

    def _run_without_reentrance(
        self,
        function: Callable[..., object],
        preserve_rng_state: bool,
        context_fn: Callable[[], tuple],
        determinism_check: str,
        debug: bool,
        early_stop: bool,
        *args: object,
        **kwargs: object,
    ) -> Iterator[None]:
        """As PyTorch's generator of the same signature: what happens around `function`."""
        setting = checkpoint._enable_checkpoint_early_stop
        stops_early = early_stop if setting is None else setting
        forward_context, _ = context_fn()  # of selective checkpointing: notes a policy per op
        with forward_context, self.region(is_whole=not stops_early):
            yield

    def _publish(self) -> None:
        custom = dict(fx_traceback.current_meta.get("custom", {}))
        custom[_KEY] = tuple(self._open)
        fx_traceback.current_meta["custom"] = custom


class _Reentrant:
    """Stands for `CheckpointFunction`: runs the forward pass again to its end."""

    def __init__(self, regions: CheckpointRegions) -> None:
        self._regions = regions

    def apply(self, function: Callable[..., object], preserve: bool, *args: object) -> object:
        tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
        wants_gradient = any(tensor.requires_grad for tensor in tensors)
        # As in PyTorch, nothing inside gets a gradient if no input wants one.
        if torch.is_grad_enabled() and not wants_gradient:
            self._regions.gave_no_gradient = True
        with (
            torch.set_grad_enabled(torch.is_grad_enabled() and wants_gradient),
            self._regions.region(is_whole=True),
        ):
            return function(*args)


def checkpoints_of(node: Node) -> tuple[Checkpoint, ...]:
    """The checkpoints around `node`, or around the op whose gradient it is; outermost first."""
    return node.meta.get("custom", {}).get(_KEY, ())


def is_saved(node: Node) -> bool:
    """Whether the policy of a selective checkpoint keeps what `node` makes."""
    return node.meta.get("recompute") in _SAVED
