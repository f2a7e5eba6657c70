"""Traces a training step, or its forward pass alone, into one graph of ATen ops.

The trace is AOTAutograd's joint graph under fake tensors: functional (no
in-place op is left), in execution order, with a descriptor on every input
and output. No data, weights or accelerator are needed.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from unittest import mock

import torch
from torch import nn
from torch._C import DispatchKey
from torch._functorch.aot_autograd import aot_export_joint_with_descriptors
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException
from torch.fx import GraphModule, traceback
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree

from opyard.export.checkpoint_regions import CheckpointRegions
from opyard.export.errors import ExportError, one_line
from opyard.export.recomputation import add_recomputation
from opyard.export.scopes import ScopeRecorder
from opyard.export.user_function import TrainingStep


@dataclass(frozen=True)
class StepInput:
    """The role of an input of the joint graph, "parameter", "buffer" or "input", and its name."""

    kind: str
    name: str


@dataclass
class JointTrace:
    """The joint graph; input `i` of the step, which descriptors refer to, is `inputs[i]`."""

    graph_module: GraphModule
    inputs: list[StepInput]
    modules: frozenset[str]  # paths of the modules of the network; "" is the network itself


class _CapturedTensors(TorchFunctionMode):
    """Finds the tensors that the step reads but that were there before it, beside `known`."""

    def __init__(self, known: list[torch.Tensor]) -> None:
        super().__init__()
        self._known = {id(tensor) for tensor in known}
        # Kept alive, so that no tensor of the step takes the address of an older one.
        self._older = {
            id(thing): thing for thing in gc.get_objects() if issubclass(type(thing), torch.Tensor)
        }
        self.found: dict[int, torch.Tensor] = {}

    def __torch_function__(
        self,
        func: Callable[..., object],
        types: object,
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
    ) -> object:
        for leaf in pytree.tree_leaves((args, kwargs)):
            if id(leaf) in self._older and id(leaf) not in self._known:
                self.found[id(leaf)] = self._older[id(leaf)]
        return func(*args, **(kwargs or {}))


class _Substitution(TorchFunctionMode):
    """Replaces captured tensors by inputs of the traced function."""

    def __init__(self, replacements: dict[int, torch.Tensor]) -> None:
        super().__init__()
        self._replacements = replacements

    def __torch_function__(
        self,
        func: Callable[..., object],
        types: object,
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
    ) -> object:
        args, kwargs = pytree.tree_map(
            lambda leaf: self._replacements.get(id(leaf), leaf), (args, kwargs or {})
        )
        return func(*args, **kwargs)


class _LossModule(nn.Module):
    """The step as one module: flat tensor inputs, then captured tensors, to the loss."""

    def __init__(self, step: TrainingStep, captured: list[torch.Tensor]) -> None:
        super().__init__()
        self.module = step.module
        if isinstance(step.loss_fn, nn.Module):
            self.loss_fn = step.loss_fn
        self._loss = step.loss_fn
        self._captured = captured
        self._leaves, self._spec = pytree.tree_flatten((step.args, step.kwargs))
        self._places = [i for i, leaf in enumerate(self._leaves) if isinstance(leaf, torch.Tensor)]
        self._own = {name: id(tensor) for name, tensor in self._named_tensors()}
        self.scopes = ScopeRecorder()
        self.checkpoints = CheckpointRegions()

    def _named_tensors(self) -> Iterator[tuple[str, torch.Tensor]]:
        # Under every name of a shared tensor: the tracer may give it one object per name.
        yield from self.named_parameters(remove_duplicate=False)
        yield from self.named_buffers(remove_duplicate=False)

    def tensors(self) -> list[torch.Tensor]:
        """The tensors among the example inputs, in order, then the captured ones."""
        return [self._leaves[place] for place in self._places] + self._captured

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        leaves = list(self._leaves)
        for place, tensor in zip(self._places, tensors, strict=False):
            leaves[place] = tensor
        args, kwargs = pytree.tree_unflatten(leaves, self._spec)
        self.scopes.restart()
        self.checkpoints.restart()
        with _Substitution(self._replacements(tensors)), self.checkpoints.watch():
            output = self.module(*args, **kwargs)
            if self._loss is None:
                return output
            with _told_in_one_line("loss_fn(output)"), self.scopes.scope("loss"):
                return self._loss(output)

    def _replacements(self, tensors: tuple[torch.Tensor, ...]) -> dict[int, torch.Tensor]:
        """Traced tensors for all that a closure of the user may hold: inputs, captured, weights."""
        replacements = {id(old): new for old, new in zip(self.tensors(), tensors, strict=True)}
        for name, tensor in self._named_tensors():
            replacements[self._own[name]] = tensor
        return replacements


@contextmanager
def _told_in_one_line(what: str) -> Iterator[None]:
    """Turns whatever the user's code or the tracer raises into an ExportError."""
    try:
        yield
    except ExportError:
        raise
    except (DataDependentOutputException, DynamicOutputShapeException) as error:
        raise ExportError(
            f"{what} depends on the values of a tensor ({one_line(error)}): "
            "only steps whose shapes and control flow are fixed can be exported"
        ) from error
    except Exception as error:
        raise ExportError(f"{what} failed: {one_line(error)}") from error


_REENTRANT = (
    ": checkpoint(use_reentrant=True) gives none to what is inside if none of its inputs wants "
    "one; say use_reentrant=False"
)


def _check_loss(loss: object, why: str) -> None:
    if not isinstance(loss, torch.Tensor):
        raise ExportError(
            f"the loss is a {type(loss).__name__}, expected a tensor with one element: "
            "return a loss_fn that turns the module's output into the loss"
        )
    if loss.numel() != 1:
        raise ExportError(
            f"the loss has shape {list(loss.shape)}, expected one element: "
            "return a loss_fn that ends in a sum or mean"
        )
    if not loss.dtype.is_floating_point:
        raise ExportError(f"the loss has type {loss.dtype}, expected a floating-point type")
    if not loss.requires_grad:
        raise ExportError(f"the loss depends on no parameter that requires a gradient{why}")


def _check_gradients(loss: torch.Tensor, root: nn.Module, why: str) -> None:
    wanted = {name: p for name, p in root.named_parameters() if p.requires_grad}
    if not wanted:
        raise ExportError("the module has no parameter that requires a gradient")
    with _told_in_one_line("the backward pass"):
        grads = torch.autograd.grad(loss, list(wanted.values()), allow_unused=True)
    missing = [
        name.removeprefix("module.")
        for name, grad in zip(wanted, grads, strict=True)
        if grad is None
    ]
    if missing:
        listed = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" * (len(missing) > 3))
        advice = (
            ": let the loss use every output of the module, or call requires_grad_(False) on what "
            "is not trained"
        )
        raise ExportError(f"no gradient reaches {listed}{why or advice}")


def _find_captured(step: TrainingStep, is_trained: bool) -> list[torch.Tensor]:
    """Runs the step once under fake tensors, checks it, and finds the tensors it captures."""
    assert step.fake_mode is not None, "steps are traced under fake tensors"
    root = _LossModule(step, captured=[])
    known = [*root.parameters(), *root.buffers(), *root.tensors()]
    with step.fake_mode, torch.set_grad_enabled(is_trained):
        with _told_in_one_line("the forward pass"), _CapturedTensors(known) as log:
            loss = root(*root.tensors())
        if is_trained:
            why = _REENTRANT if root.checkpoints.gave_no_gradient else ""
            _check_loss(loss, why)
            _check_gradients(loss, root, why)
    return list(log.found.values())


def named_inputs(step: TrainingStep) -> dict[str, torch.Tensor]:
    """The tensors of a step with real tensors by the names that inputs of its trace have.

    Runs the forward pass once to find what the loss captures. The tensors are copies from
    before that: a module may change its buffers.
    """
    root = _LossModule(step, captured=[])
    weights = [*root.parameters(), *root.buffers()]
    examples = root.tensors()
    values = [tensor.detach().clone() for tensor in (*weights, *examples)]
    with (
        torch.no_grad(),
        _told_in_one_line("the forward pass"),
        _CapturedTensors([*weights, *examples]) as log,
    ):
        root(*examples)
    captured = list(log.found.values())
    values += [tensor.detach().clone() for tensor in captured]
    named = _LossModule(step, captured)
    inputs = _describe_inputs(named, len(examples))
    return {described.name: value for described, value in zip(inputs, values, strict=True)}


def trace_step(step: TrainingStep, is_trained: bool = True) -> JointTrace:
    """Traces `step`: forward and backward, or the forward pass alone if it is not trained.

    Raises:
        ExportError: it is trained, but has no scalar loss or lacks a gradient.
    """
    if not is_trained:
        step.module.requires_grad_(False)
        step.args, step.kwargs = pytree.tree_map_only(
            torch.Tensor, torch.Tensor.detach, (step.args, step.kwargs)
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            torch.backends.mkldnn.flags(enabled=False),  # else LSTMs are one opaque CPU op
            torch.compiler.set_stance("force_eager"),  # functions that the module has compiled
            torch._dynamo.config.patch(error_on_nested_fx_trace=False),
            _whole_resampling(),
        ):
            return _trace(step, _find_captured(step, is_trained), is_trained)


@contextmanager
def _whole_resampling() -> Iterator[None]:
    """Keeps `upsample_*` one op, as at run time; else it becomes dozens of indices and products."""
    overloads = [
        getattr(packet, overload)
        for name in dir(torch.ops.aten)
        if name.startswith("upsample_") and "_aa" not in name
        for packet in [getattr(torch.ops.aten, name)]
        for overload in packet.overloads()
    ]
    keys = (DispatchKey.Autograd, DispatchKey.CompositeImplicitAutograd)
    with ExitStack() as stack:
        for overload in overloads:
            kernels = {k: v for k, v in overload.py_kernels.items() if k not in keys}
            stack.callback(overload._dispatch_cache.clear)
            stack.enter_context(mock.patch.object(overload, "py_kernels", kernels))
            overload._dispatch_cache.clear()
        yield


class _FunctionalStep(nn.Module):
    """The step as a function of its weights, too; a weight with two names is one input."""

    def __init__(self, root: _LossModule) -> None:
        super().__init__()
        self._roots = [root]  # in a list, so that its weights are not this module's
        self.names = [*dict(root.named_parameters()), *dict(root.named_buffers())]

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        state = dict(zip(self.names, tensors, strict=False))
        return torch.func.functional_call(self._roots[0], state, tensors[len(state) :])


def _trace(step: TrainingStep, captured: list[torch.Tensor], is_trained: bool) -> JointTrace:
    assert step.fake_mode is not None, "steps are traced under fake tensors"
    root = _LossModule(step, captured)
    with step.fake_mode:
        data = [
            tensor.detach().requires_grad_(tensor.requires_grad and is_trained)
            for tensor in root.tensors()
        ]
    weights = [*root.parameters(), *root.buffers()]
    with ExitStack() as stack, traceback.preserve_node_meta(), torch.set_grad_enabled(is_trained):
        root.scopes.watch(root.module, prefix="")
        with _told_in_one_line("tracing"):
            joint = aot_export_joint_with_descriptors(
                stack, _FunctionalStep(root), (*weights, *data)
            )
    add_recomputation(joint.graph_module.graph)
    return JointTrace(
        joint.graph_module,
        _describe_inputs(root, len(data) - len(captured)),
        frozenset(dict(step.module.named_modules())),
    )


def _describe_inputs(root: _LossModule, num_examples: int) -> list[StepInput]:
    def plain(name: str) -> str:
        return name.removeprefix("module.")

    inputs = [StepInput("parameter", plain(name)) for name, _ in root.named_parameters()]
    inputs += [StepInput("buffer", plain(name)) for name, _ in root.named_buffers()]
    num_captured = len(root.tensors()) - num_examples
    inputs += [StepInput("input", f"input_{i}") for i in range(num_examples)]
    return inputs + [StepInput("input", f"captured_{i}") for i in range(num_captured)]
