"""Notes taken while a step runs: times of ops, waits and sends, and results.

Steps that are timed as a whole run without any of these.
"""

from __future__ import annotations

import time
from typing import Any, Protocol

import torch

from opyard.execution.program import Ref
from opyard.execution.task import Message, Task


class Observer(Protocol):
    """Called around each op of a step, and around each wait for a message."""

    def begin(self, op: int) -> None:
        """The op `op` is about to start."""

    def end(self, op: int, slots: list[torch.Tensor | None]) -> None:
        """The op `op` has returned; its results lie in `slots`."""

    def sent(self, message: Message, start_ns: int) -> None:
        """`message` was handed over, since `start_ns`."""

    def received(self, message: Message, start_ns: int) -> None:
        """`message` has arrived; it was waited for since `start_ns`."""


class HostSpans:
    """The times of the ops of a step on a CPU, in nanoseconds of the machine's monotonic clock."""

    def __init__(self) -> None:
        self.ops: list[tuple[int, int, int]] = []  # op, start, end
        self.waits: list[tuple[int, int, int]] = []  # number of the message, start, end
        self.sends: list[tuple[int, int, int]] = []
        self._start = 0

    def begin(self, op: int) -> None:
        self._start = time.monotonic_ns()

    def end(self, op: int, slots: list[torch.Tensor | None]) -> None:
        self.ops.append((op, self._start, time.monotonic_ns()))

    def sent(self, message: Message, start_ns: int) -> None:
        self.sends.append((message.number, start_ns, time.monotonic_ns()))

    def received(self, message: Message, start_ns: int) -> None:
        self.waits.append((message.number, start_ns, time.monotonic_ns()))

    def finish(self) -> None:
        """Nothing is left to read on a CPU."""


class CudaSpans(HostSpans):
    """The same on a GPU: of an event behind each op, in the stream that computes.

    An op begins at the end of the one before it, so that what the device waits for the host
    counts for the op that it waits for; after a wait for a message it begins with the end of that.
    The device's clock is set to the host's at the first event, for which the host waits once.
    """

    def __init__(self, device: torch.device) -> None:
        super().__init__()
        self._device = device
        self._events: list[tuple[int, Any, Any]] = []
        self._zero = _timed_event()
        self._zero.record()
        torch.cuda.synchronize(device)
        self._zero_ns = time.monotonic_ns()
        self._last: Any = None

    def begin(self, op: int) -> None:
        if self._last is None:
            self._last = _timed_event()
            self._last.record()

    def end(self, op: int, slots: list[torch.Tensor | None]) -> None:
        end = _timed_event()
        end.record()
        self._events.append((op, self._last, end))
        self._last = end

    def received(self, message: Message, start_ns: int) -> None:
        super().received(message, start_ns)
        self._last = None

    def finish(self) -> None:
        """Reads the events, all of which have passed by then."""
        torch.cuda.synchronize(self._device)
        for op, begin, end in self._events:
            self.ops.append((op, self._ns(begin), self._ns(end)))

    def _ns(self, event: Any) -> int:
        return self._zero_ns + round(self._zero.elapsed_time(event) * 1e6)


def _timed_event() -> torch.cuda.Event:
    return torch.cuda.Event(enable_timing=True)


def make_spans(device: torch.device) -> HostSpans:
    """An observer of the times of ops on `device`."""
    return CudaSpans(device) if device.type == "cuda" else HostSpans()


class Results:
    """Copies what a step computes as soon as it is there, since tensors are freed and updated."""

    def __init__(self, task: Task, slot_of: dict[Ref, int]) -> None:
        self._wanted: dict[int, list[tuple[str, int]]] = {}
        for i, ref in enumerate(task.losses):
            self._want(ref, f"loss {i}", slot_of)
        for name, ref in task.gradients.items():
            self._want(ref, f"gradient {name}", slot_of)
        self.tensors: dict[str, torch.Tensor] = {}

    def _want(self, ref: Ref, name: str, slot_of: dict[Ref, int]) -> None:
        self._wanted.setdefault(ref.op, []).append((name, slot_of[ref]))

    def begin(self, op: int) -> None:
        """Nothing to copy yet."""

    def end(self, op: int, slots: list[torch.Tensor | None]) -> None:
        for name, slot in self._wanted.get(op, ()):
            tensor = slots[slot]
            if tensor is not None:
                self.tensors[name] = tensor.detach().to("cpu", copy=True)

    def sent(self, message: Message, start_ns: int) -> None:
        """Messages hold no results."""

    def received(self, message: Message, start_ns: int) -> None:
        """Messages hold no results."""
