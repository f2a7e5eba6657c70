"""Measures what the store does not hold yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from opyard.execution.execution import Session
from opyard.execution.program import Program
from opyard.execution.requests import CopyRequest, CopyTimes, FactsRequest
from opyard.execution.task import dense_bytes
from opyard.execution.workers import Workers
from opyard.measuring.op_seconds import seconds_by_op
from opyard.measuring.store import Copy, Store

_LEAST_COPY = 1024
_FLOATS = ("float32", "float16", "bfloat16", "float64")


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    seconds_per_device: float = 30  # of whole steps, as far as the least number allows
    least_steps: int = 6  # observed, and as many unobserved
    most_steps: int = 40
    parts: int = 3  # the store grows by one at a time
    copy_repetitions: int = 9


def measure_all(
    program: Program,
    session: Session,
    workers: Workers,
    store: Store,
    effort: Effort,
    progress: Callable[[str], None],
) -> None:
    """Fills `store` with what is missing of devices, copies and steps; `progress` gets lines."""
    _measure_facts(program, workers, store, progress)
    _measure_copies(program, workers, store, effort, progress)
    for rank in range(len(workers.devices)):
        _measure_steps(rank, session, workers, store, effort, progress)


def _measure_facts(
    program: Program, workers: Workers, store: Store, progress: Callable[[str], None]
) -> None:
    dtypes = _float_types(program)
    for rank, device in enumerate(workers.devices):
        if store.facts(device.name) is None:
            progress(f"{device}: peak, bandwidth, launches")
            answers = workers.ask([FactsRequest(rank, dtypes)] * len(workers.devices))
            facts = answers[rank] | {"hardware": workers.hardware_names[rank]}
            store.set_facts(device.name, facts)


def _float_types(program: Program) -> list[str]:
    used = {
        spec.dtype
        for instruction in program.instructions
        for spec in instruction.outputs
        if spec is not None
    }
    return [dtype for dtype in _FLOATS if dtype in used or dtype == "float32"]


def _measure_copies(
    program: Program,
    workers: Workers,
    store: Store,
    effort: Effort,
    progress: Callable[[str], None],
) -> None:
    sizes = copy_sizes(program)
    devices = workers.devices
    for sender, receiver in permutations(range(len(devices)), 2):
        names = devices[sender].name, devices[receiver].name
        if store.copies(*names):
            continue
        progress(f"{devices[sender]} to {devices[receiver]}: {len(sizes)} sizes of copies")
        request = CopyRequest(sender, receiver, sizes, effort.copy_repetitions)
        answers = workers.ask([request] * len(devices))
        store.add_copies(*names, copies_of(answers[sender], answers[receiver]))


def copies_of(sent: CopyTimes, received: CopyTimes) -> list[Copy]:
    """The copies as the process that sends and the one that receives saw them together."""
    return [
        Copy(size, *times)
        for size, seconds in received.seconds.items()
        for times in zip(seconds, sent.processor_s[size], received.processor_s[size], strict=True)
    ]


def copy_sizes(program: Program) -> list[int]:
    """Powers of two from 1 kB to the largest tensor, which is the last."""
    largest = max(
        dense_bytes(spec)
        for instruction in program.instructions
        for spec in instruction.outputs
        if spec is not None
    )
    sizes = []
    size = _LEAST_COPY
    while size < largest:
        sizes.append(size)
        size *= 2
    return [*sizes, max(largest, 2 * _LEAST_COPY)]


def _measure_steps(
    rank: int,
    session: Session,
    workers: Workers,
    store: Store,
    effort: Effort,
    progress: Callable[[str], None],
) -> None:
    device = workers.devices[rank]
    while len(done := store.steps(device.name)) < effort.parts:
        count = _steps_of_part([s for seconds, _ in done for s in seconds], effort)
        progress(f"{device}: part {len(done) + 1} of {effort.parts}, {count} steps, twice")
        answer = session.run_undivided(rank, count)
        seconds = [(end - start) / 1e9 for start, end in answer.steps]
        store.add_steps(device.name, seconds, [seconds_by_op(each) for each in answer.spans])


def _steps_of_part(seconds: list[float], effort: Effort) -> int:
    """How many steps the next part has; the first part is as short as it may be."""
    least = -(-effort.least_steps // effort.parts)
    if not seconds:
        return least
    budget = effort.seconds_per_device / (2 * effort.parts)
    fitting = int(budget / max(float(np.median(seconds)), 1e-6))
    return max(least, min(fitting, effort.most_steps // effort.parts))
