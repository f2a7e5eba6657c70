"""The part of a step that one process runs, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field

from opyard.execution.program import Instruction, Ref, TensorSpec


@dataclass(frozen=True)
class Message:
    """One tensor, or the bare news that an op has run, on its way between two processes.

    Messages from one process to another are sent, and received, in the order of their numbers.
    """

    number: int
    sender: int
    receiver: int
    op: int
    ref: Ref | None  # None: the news that `op` has run
    spec: TensorSpec | None

    @property
    def num_bytes(self) -> int:
        """The bytes that travel."""
        return 1 if self.spec is None else dense_bytes(self.spec)


@dataclass
class TaskStep:
    """One op, with what happens around it."""

    op: int
    expects: list[Message] = field(default_factory=list)  # receives that are posted before it
    needs: list[Message] = field(default_factory=list)  # what has to be there before it starts
    sends: list[Message] = field(default_factory=list)  # after it
    frees: list[Ref] = field(default_factory=list)  # tensors without a later reader here


@dataclass
class Task:
    """The steps of one process, in the order in which it runs them."""

    rank: int
    num_ranks: int
    device: str  # the device's name in reports
    instructions: dict[int, Instruction]  # op index → how it runs
    optimizer: str
    steps: list[TaskStep]
    sources: list[int]  # ops whose tensors are there before the step
    variables: dict[str, int]  # name → op, of those that lie here
    losses: list[Ref]
    gradients: dict[str, Ref]
    updated: dict[int, Ref]  # source op of a buffer → its value after the step


_ITEM_BYTES = {"float64": 8, "int64": 8, "complex64": 8, "complex128": 16, "uint64": 8} | {
    "float32": 4,
    "int32": 4,
    "uint32": 4,
    "complex32": 4,
    "float16": 2,
    "bfloat16": 2,
    "int16": 2,
    "uint16": 2,
}


def dense_bytes(spec: TensorSpec) -> int:
    """The bytes of a tensor without gaps; element types that are not listed have one byte."""
    elements = 1
    for extent in spec.shape:
        elements *= extent
    return elements * _ITEM_BYTES.get(spec.dtype, 1)
