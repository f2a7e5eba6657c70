"""Runs the task of one process, step by step."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from opyard.execution.arguments import Arguments
from opyard.execution.links import Links
from opyard.execution.memory import MemoryMeter
from opyard.execution.observers import Observer
from opyard.execution.program import Instruction, Ref
from opyard.execution.task import Message, Task, TaskStep
from opyard.execution.updates import make_update

Slots = list[torch.Tensor | None]
Call = Callable[[Slots], None]  # reads its tensors from slots and puts its results there


@dataclass
class _BoundStep:
    """A step with the places of its tensors."""

    op: int
    expects: list[Message]
    needs: list[tuple[Message, int]]  # place of the tensor, -1 for the news of an op
    call: Call | None  # None: a source
    sends: list[tuple[Message, int]]
    outputs: list[int]
    frees: list[int]


class Interpreter:
    """One process's part of a step, with its tensors.

    Args:
        task: What to run.
        sources: The tensors of `task.sources` by op, on `device`.
        device: The device.
        links: What connects it with the other processes.
    """

    def __init__(
        self, task: Task, sources: dict[int, torch.Tensor], device: torch.device, links: Links
    ) -> None:
        self.task = task
        self.device = device
        self.slot_of: dict[Ref, int] = {}
        self._links = links
        self._slots: Slots = []
        for op in task.sources:
            self._slots[self._slot(Ref(op, 0))] = sources[op]
        self._steps = [self._bind(step) for step in task.steps]

    def _slot(self, ref: Ref) -> int:
        if ref not in self.slot_of:
            self.slot_of[ref] = len(self._slots)
            self._slots.append(None)
        return self.slot_of[ref]

    def _message_slots(self, messages: list[Message]) -> list[tuple[Message, int]]:
        return [(m, -1 if m.ref is None else self._slot(m.ref)) for m in messages]

    def _bind(self, step: TaskStep) -> _BoundStep:
        instruction = self.task.instructions[step.op]
        needs = self._message_slots(step.needs)
        call, outputs = None, []
        if instruction.is_update:
            call = self._bind_update(instruction)
        elif not instruction.is_source:
            outputs = [
                self._slot(Ref(step.op, port)) if spec is not None else -1
                for port, spec in enumerate(instruction.outputs)
            ]
            call = self._bind_call(step.op, instruction, outputs)
        return _BoundStep(
            op=step.op,
            expects=step.expects,
            needs=needs,
            call=call,
            sends=self._message_slots(step.sends),
            outputs=[slot for slot in outputs if slot >= 0],
            frees=[self._slot(ref) for ref in step.frees],
        )

    def _bind_update(self, instruction: Instruction) -> Call:
        weight, gradient = (self._slot(ref) for ref in instruction.inputs)
        variable = self._slots[weight]
        assert variable is not None, "variables are sources"
        update = make_update(self.task.optimizer, variable)
        return lambda slots: update(slots[gradient])  # type: ignore[arg-type]

    def _bind_call(self, op: int, instruction: Instruction, outputs: list[int]) -> Call:
        function = _overload(instruction.target or "")
        args = Arguments(instruction.args, self._slot, self.device)
        kwargs = Arguments(instruction.kwargs, self._slot, self.device)
        part, several = instruction.part, instruction.makes_several
        if instruction.is_random:
            function = _Seeded(function, op)

        def call(slots: Slots) -> None:
            result = function(*args.fill(slots), **kwargs.fill(slots))
            if part is not None:
                slots[outputs[0]] = result[part]
            elif several:
                for slot, tensor in zip(outputs, result, strict=True):
                    if slot >= 0:
                        slots[slot] = tensor
            elif outputs and outputs[0] >= 0:
                slots[outputs[0]] = result

        return call

    def run(self, observer: Observer | None = None, meter: MemoryMeter | None = None) -> None:
        """Runs one step; `meter`, if given, counts the bytes of what it holds."""
        slots, links = self._slots, self._links
        links.meter = meter
        if meter is not None:
            self._hold_sources(meter)
        with torch.no_grad():
            for step in self._steps:
                for message in step.expects:
                    links.expect(message)
                for message, slot in step.needs:
                    self._take(message, slot, observer)
                if step.call is not None:
                    if observer is None:
                        step.call(slots)
                    else:
                        observer.begin(step.op)
                        step.call(slots)
                        observer.end(step.op, slots)
                if meter is not None:
                    self._hold(meter, step.outputs)
                for message, slot in step.sends:
                    self._send(message, slot, observer)
                for slot in step.frees:
                    if meter is not None:
                        self._release(meter, slot)
                    slots[slot] = None
        links.finish()
        self._store_buffers()

    def _take(self, message: Message, slot: int, observer: Observer | None) -> None:
        start = time.monotonic_ns()
        tensor = self._links.take(message)
        if slot >= 0:
            self._slots[slot] = tensor
        if observer is not None:
            observer.received(message, start)

    def _send(self, message: Message, slot: int, observer: Observer | None) -> None:
        start = time.monotonic_ns()
        self._links.send(message, self._slots[slot] if slot >= 0 else None)
        if observer is not None:
            observer.sent(message, start)

    def _hold_sources(self, meter: MemoryMeter) -> None:
        self._hold(meter, [self.slot_of[Ref(op, 0)] for op in self.task.sources])

    def _hold(self, meter: MemoryMeter, slots: list[int]) -> None:
        for slot in slots:
            tensor = self._slots[slot]
            if tensor is not None and tensor.layout == torch.strided:
                meter.hold(tensor)

    def _release(self, meter: MemoryMeter, slot: int) -> None:
        tensor = self._slots[slot]
        if tensor is not None and tensor.layout == torch.strided:
            meter.release(tensor)

    def _store_buffers(self) -> None:
        """Buffers of the module take their new values, for the next step."""
        for op, ref in self.task.updated.items():
            self._slots[self.slot_of[Ref(op, 0)]] = self._slots[self.slot_of[ref]]

    def variables(self) -> dict[str, torch.Tensor]:
        """The parameters and buffers that lie here, by name."""
        named = {}
        for name, op in self.task.variables.items():
            tensor = self._slots[self.slot_of[Ref(op, 0)]]
            if tensor is not None:
                named[name] = tensor.detach()
        return named


class _Seeded:
    """A random op, which makes the same numbers in every process that may run it.

    They come from the CPU's generator, seeded by the op, so that they do not depend on the
    device; only while results are compared, since it takes time.
    """

    is_active = False

    def __init__(self, function: Any, op: int) -> None:
        self._function = function
        self._op = op

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not _Seeded.is_active:
            return self._function(*args, **kwargs)
        device = next((a.device for a in args if isinstance(a, torch.Tensor)), None)
        device = kwargs.get("device", device) or torch.device("cpu")
        torch.manual_seed(self._op)
        result = self._function(*_moved(args, "cpu"), **_moved(kwargs, "cpu"))
        return _moved(result, device)


def seed_random_ops(active: bool) -> None:
    """Makes random ops of this process repeat the numbers that they make in any other."""
    _Seeded.is_active = active


def _moved(value: Any, device: torch.device | str) -> Any:
    """`value` with its tensors, and the devices that it names, on `device`."""
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, torch.device):
        return torch.device(device)
    if isinstance(value, (list, tuple)):
        return [_moved(part, device) for part in value]
    if isinstance(value, dict):
        return {key: _moved(part, device) for key, part in value.items()}
    return value


def _overload(target: str) -> Any:
    """The op of PyTorch's library called "aten.mm.default"."""
    namespace, packet, overload = target.split(".")
    return getattr(getattr(getattr(torch.ops, namespace), packet), overload)
