"""Rows of measured kernels out of the events of a trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from opyard.execution.errors import ExecutionError
from opyard.profiling.rows import Case, Row, make_case, row_of
from opyard.profiling.trace_ops import TracedInputs, UnreadError, reader_of

_LAUNCH_CALLS = (
    *("cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "cuLaunchKernelEx"),
    *("hipLaunchKernel", "hipExtModuleLaunchKernel", "hipModuleLaunchKernel"),
)
# Parts of the names of kernels, by the gradient that they compute.
_GRADIENT_WORDS = {
    "bwd_data": ("dgrad", "backward_data", "bwddata", "bwd_data"),
    "bwd_weight": ("wgrad", "backward_filter", "bwdweight", "bwd_weight", "backward_weight"),
}
# Copies from and to the host and between GPUs, which run on behalf of aten::copy_, by their names.
_COPY_WAYS = {"Memcpy HtoD": "copy_h2d", "Memcpy DtoH": "copy_d2h", "Memcpy PtoP": "copy_peer"}
_LEAST_GAPS = 10
_NONE = -1


@dataclass
class TraceReading:
    """Times of kernels or ops in a trace, and the launch time.

    Attributes:
        has_kernels: True if the device is a GPU; else times are those of ops on the CPU.
        seconds: Of the runs of each case; on a GPU with one launch for each kernel.
        launch_s: What a launch takes on the device; None where the trace does not show it.
        launch_source: How `launch_s` was found.
        read_s: Seconds of the runs in `seconds`.
        total_s: Seconds of all kernels, on the CPU of all outermost ops.
        unread: Seconds of other runs, by what they were and why they are left out.
        unread_runs: The number of those runs.
    """

    has_kernels: bool
    seconds: dict[Case, list[float]] = field(default_factory=dict)
    launch_s: float | None = None
    launch_source: str = ""
    read_s: float = 0.0
    total_s: float = 0.0
    unread: Counter[str] = field(default_factory=Counter)
    unread_runs: Counter[str] = field(default_factory=Counter)

    def rows(self, device: str) -> list[Row]:
        """The rows of all cases on `device`."""
        return [row_of(device, case, seconds) for case, seconds in self.seconds.items()]


def read_events(events: dict[str, list[Any]], place: str) -> TraceReading:
    """The reading of a trace.

    Args:
        events: As `_core.read_trace` returns them.
        place: Stands for the file in messages.

    Raises:
        ExecutionError: The trace holds neither kernels nor ops.
    """
    roles = events["role"]
    reading = TraceReading(has_kernels="kernel" in roles)
    if not reading.has_kernels and "op" not in roles:
        raise ExecutionError(
            f"{place}: found neither kernels nor ops, expected a trace of PyTorch's profiler"
        )
    owners = _owners(events)
    if reading.has_kernels:
        reading.launch_s, reading.launch_source = _launch(events)
        _read_kernels(events, owners, reading)
    else:
        _read_ops(events, owners, reading)
    return reading


def _owners(events: dict[str, list[Any]]) -> list[int]:
    """For each event the outermost op around it that has a reader, itself included."""
    owners = [_NONE] * len(events["name"])
    for index, caller in enumerate(events["caller"]):  # callers begin before what they call
        if caller != _NONE and owners[caller] != _NONE:
            owners[index] = owners[caller]
        elif events["role"][index] == "op" and reader_of(events["name"][index]) is not None:
            owners[index] = index
    return owners


def _launch(events: dict[str, list[Any]]) -> tuple[float | None, str]:
    """The time of a launch: gaps between kernels while the host is ahead, else its calls."""
    calls = [
        length
        for name, role, length in zip(
            events["name"], events["role"], events["length_us"], strict=True
        )
        if role == "launcher" and name in _LAUNCH_CALLS
    ]
    if not calls:
        return None, "no calls of launches in the trace"
    call = median(calls)
    gaps = [gap for gap in _gaps(events) if 0 <= gap <= call]
    if len(gaps) >= _LEAST_GAPS:
        return median(gaps) / 1e6, f"the median of {len(gaps)} gaps between kernels"
    return call / 1e6, f"the median of {len(calls)} calls that launch a kernel"


def _gaps(events: dict[str, list[Any]]) -> list[float]:
    """Microseconds from the end of a kernel to the start of the next on its stream."""
    ends: dict[str, float] = {}
    gaps = []
    for index, role in enumerate(events["role"]):
        if role == "kernel":
            track, start = events["track"][index], events["start_us"][index]
            if track in ends:
                gaps.append(start - ends[track])
            ends[track] = max(ends.get(track, start), start + events["length_us"][index])
    return gaps


def _read_kernels(events: dict[str, list[Any]], owners: list[int], reading: TraceReading) -> None:
    """Adds the kernels of each op that has a reader, each with a launch."""
    kernels: dict[int, list[int]] = {}
    for index, role in enumerate(events["role"]):
        if role != "kernel":
            continue
        reading.total_s += events["length_us"][index] / 1e6
        launcher = events["launcher"][index]
        owner = owners[launcher] if launcher != _NONE else _NONE
        if owner == _NONE:
            name = events["name"][launcher if launcher != _NONE else index]
            _leave(reading, f"{name}: no shape is known of such ops", events["length_us"][index])
        else:
            kernels.setdefault(owner, []).append(index)
    for owner, members in kernels.items():
        _read_op(events, owner, members, reading)


def _read_ops(events: dict[str, list[Any]], owners: list[int], reading: TraceReading) -> None:
    """Adds each op of the CPU that has a reader, and of the others those without any inside."""
    around: set[int] = set()  # ops that call one with a reader
    for index, owner in enumerate(owners):
        if owner == index:
            caller = events["caller"][index]
            while caller != _NONE and caller not in around:
                around.add(caller)
                caller = events["caller"][caller]
    for index, role in enumerate(events["role"]):
        if role != "op":
            continue
        is_outermost = _calling_op(events, index) == _NONE
        if is_outermost:
            reading.total_s += events["length_us"][index] / 1e6
        if owners[index] == index:
            _read_op(events, index, [index], reading)
        elif is_outermost and index not in around:
            name = events["name"][index]
            _leave(reading, f"{name}: no shape is known of such ops", events["length_us"][index])


def _calling_op(events: dict[str, list[Any]], index: int) -> int:
    caller = events["caller"][index]
    while caller != _NONE and events["role"][caller] != "op":
        caller = events["caller"][caller]
    return caller


def _read_op(
    events: dict[str, list[Any]], op: int, members: Sequence[int], reading: TraceReading
) -> None:
    """Adds the time of `members`, the kernels of `op` or itself, to its case."""
    name = events["name"][op]
    lengths = [events["length_us"][member] for member in members]
    try:
        for case, parts in _cases_of(events, op, members):
            seconds = _seconds([events["length_us"][part] for part in parts], reading)
            reading.seconds.setdefault(case, []).append(seconds)
        reading.read_s += sum(lengths) / 1e6
    except UnreadError as error:
        _leave(reading, f"{name}: {error}", sum(lengths))


def _seconds(lengths_us: Sequence[float], reading: TraceReading) -> float:
    if not lengths_us or min(lengths_us) <= 0:
        raise UnreadError("a time that the profiler lost")
    launches = len(lengths_us) * (reading.launch_s or 0.0) if reading.has_kernels else 0.0
    return sum(lengths_us) / 1e6 + launches


def _cases_of(
    events: dict[str, list[Any]], op: int, members: Sequence[int]
) -> list[tuple[Case, list[int]]]:
    """The cases of an op, each with those of `members` that it is the time of."""
    reader = reader_of(events["name"][op])
    assert reader is not None
    cases = reader(TracedInputs(events["inputs"][op]))
    if len(cases) == 1:
        names = [events["name"][member] for member in members]
        return [(_between_memories(cases[0], names), list(members))]
    shares = {
        case: [m for m in members if _is_of_pass(events["name"][m], case.pass_)] for case in cases
    }
    if not all(shares.values()):
        raise UnreadError("the gradients by image and by weight in one time")
    return list(shares.items())


def _between_memories(case: Case, kernels: Sequence[str]) -> Case:
    """The case of a copy that leaves or enters the device, in the place of one within it."""
    ways = {way for name in kernels for word, way in _COPY_WAYS.items() if name.startswith(word)}
    if case.op != "copy" or not ways:
        return case
    if len(kernels) > 1:
        raise UnreadError("a copy to another memory with kernels beside it")
    return make_case(ways.pop(), case.dtype, bytes=case["bytes"] // 2)


def _is_of_pass(kernel: str, pass_: str) -> bool:
    return any(word in kernel.lower() for word in _GRADIENT_WORDS[pass_])


def _leave(reading: TraceReading, what: str, length_us: float) -> None:
    reading.unread[what] += length_us / 1e6
    reading.unread_runs[what] += 1
