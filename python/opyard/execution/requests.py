"""Requests to the processes of a run, and their answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from opyard.execution.task import Task


@dataclass
class RunRequest:
    """Steps of one task: one that is checked, some to warm up, some that are timed."""

    task: Task
    sources_file: str  # torch.save of the tensors of `task.sources` by op
    results_file: str | None  # where loss, gradients and variables of the first step go
    warmup: int
    repetitions: int
    span_steps: int  # further steps, of which the times of ops are noted


@dataclass
class StepSpans:
    """The times of one step: of ops, waits and sends, on the machine's monotonic clock."""

    start_ns: int
    end_ns: int
    ops: list[tuple[int, int, int]] = field(default_factory=list)  # op, start, end
    waits: list[tuple[int, int, int]] = field(default_factory=list)  # message, start, end
    sends: list[tuple[int, int, int]] = field(default_factory=list)


@dataclass
class RunAnswer:
    """The measurements of one process."""

    peak_memory_bytes: int
    device_name: str  # the hardware's own name
    steps: list[tuple[int, int]] = field(default_factory=list)  # start and end of timed steps
    spans: list[StepSpans] = field(default_factory=list)


@dataclass
class CopyRequest:
    """Times of messages from one process to another, by their size."""

    sender: int
    receiver: int
    sizes: list[int]
    repetitions: int


@dataclass
class CopyTimes:
    """The messages of a `CopyRequest` as one process saw them, by size, each repetition."""

    seconds: dict[int, list[float]] = field(default_factory=dict)  # of the receiver alone
    processor_s: dict[int, list[float]] = field(default_factory=dict)  # of all threads


@dataclass
class FactsRequest:
    """Figures of the device of one process, the others being idle."""

    rank: int
    dtypes: list[str]  # whose peaks are measured, as PyTorch calls them


@dataclass
class Failure:
    """The error of a process."""

    text: str
    at_ns: int
    is_of_peer: bool  # a lost connection: another process failed first
