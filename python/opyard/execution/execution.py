"""Runs a divided step on devices, times it, and compares its results with the undivided step's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from opyard.execution.errors import ExecutionError
from opyard.execution.partition import Schedule, divide
from opyard.execution.program import Program
from opyard.execution.requests import RunAnswer, RunRequest, StepSpans
from opyard.execution.supported import check_supported
from opyard.execution.task import Task
from opyard.execution.workers import Workers

# The greatest difference of a result, in parts of its greatest value. Both steps run the same
# kernels; those of GPUs and CPUs add in other orders.
TOLERANCE = 1e-5
_LEAST_SCALE = 1e-2


@dataclass(frozen=True)
class Difference:
    """The result that differs most from the undivided step's, in parts of its greatest value."""

    name: str
    value: float


@dataclass(frozen=True)
class Execution:
    """The measurements of a run; times in seconds, one per repetition."""

    step_s: list[float]
    device_names: list[str]
    hardware_names: list[str]
    peak_memory_bytes: list[int]
    difference: Difference
    num_messages: int  # of one step, between all devices
    spans: list[StepSpans]  # of one more step, by device

    @property
    def median_s(self) -> float:
        """The median of the steps."""
        return float(np.median(self.step_s))

    @property
    def spread_s(self) -> float:
        """The distance between the quartiles of the steps."""
        low, high = np.quantile(self.step_s, (0.25, 0.75))
        return float(high - low)

    @property
    def matches_undivided(self) -> bool:
        """Whether loss, gradients and updated variables are those of the undivided step."""
        return self.difference.value <= TOLERANCE


class Session:
    """A model and processes in which plans of it run, one after another.

    Args:
        program: The model's step.
        sources: The tensors of its sources, by op.
        workers: Processes, started.
    """

    def __init__(
        self, program: Program, sources: dict[int, torch.Tensor], workers: Workers
    ) -> None:
        self._program = program
        self._sources = sources
        self._workers = workers
        self._reference: dict[str, torch.Tensor] | None = None

    def run(self, schedule: Schedule, repetitions: int, warmup: int = 3) -> Execution:
        """Runs the step as `schedule` says, and the undivided one if it has not run before.

        Raises:
            ExecutionError: The schedule cannot run, or a process failed.
        """
        tasks = divide(self._program, schedule)
        check_supported(self._program, schedule.ranks, self._workers.devices)
        reference = self.reference()
        answers = self._ask(tasks, "results", warmup, repetitions, span_steps=1)
        difference = compare(self._results("results"), reference)
        ends = [[end for _, end in answer.steps] for answer in answers]
        starts = [start for start, _ in answers[0].steps]
        return Execution(
            step_s=[
                (max(e) - s) / 1e9 for s, e in zip(starts, zip(*ends, strict=True), strict=True)
            ],
            device_names=list(schedule.device_names),
            hardware_names=self._workers.hardware_names,
            peak_memory_bytes=[answer.peak_memory_bytes for answer in answers],
            difference=difference,
            num_messages=sum(len(step.sends) for task in tasks for step in task.steps),
            spans=[answer.spans[0] for answer in answers],
        )

    def reference(self) -> dict[str, torch.Tensor]:
        """The results of the undivided step on the first GPU, or else the first device."""
        if self._reference is None:
            devices = self._workers.devices
            first = next((i for i, device in enumerate(devices) if device.kind == "cuda"), 0)
            self._ask(self.undivided_tasks(first), "reference", warmup=0, repetitions=0)
            self._reference = self._results("reference")
        return self._reference

    def undivided_tasks(self, rank: int) -> list[Task]:
        """The whole step for one process, and nothing for the others."""
        count = len(self._program.instructions)
        names = [device.name for device in self._workers.devices]
        return divide(self._program, Schedule([rank] * count, range(count), names))

    def run_undivided(self, rank: int, steps: int) -> RunAnswer:
        """Runs the whole step in one process: `steps` times timed, `steps` times observed."""
        tasks = self.undivided_tasks(rank)
        ranks = [rank] * len(self._program.instructions)
        check_supported(self._program, ranks, self._workers.devices)
        return self._ask(tasks, None, 2, steps, span_steps=steps)[rank]

    def _ask(
        self,
        tasks: Sequence[Task],
        results: str | None,
        warmup: int,
        repetitions: int,
        span_steps: int = 0,
    ) -> list[RunAnswer]:
        folder = self._workers.folder
        requests = []
        for task in tasks:
            file = str(folder / f"sources{task.rank}")
            torch.save({op: self._sources[op] for op in task.sources}, file)
            made = None if results is None else str(folder / f"{results}{task.rank}")
            requests.append(RunRequest(task, file, made, warmup, repetitions, span_steps))
        return self._workers.ask(requests)

    def _results(self, name: str) -> dict[str, torch.Tensor]:
        results: dict[str, torch.Tensor] = {}
        for rank in range(len(self._workers.devices)):
            results |= torch.load(self._workers.folder / f"{name}{rank}")
        return results


def compare(results: dict[str, torch.Tensor], reference: dict[str, torch.Tensor]) -> Difference:
    """The greatest difference of any result, in parts of that result's greatest value.

    Names begin with the kind of the result: "gradient head.weight". A tensor's greatest value
    counts as at least a hundredth of that of its kind: a gradient that is zero but for rounding has
    no digits to compare.
    """
    if results.keys() != reference.keys():
        missing = sorted(results.keys() ^ reference.keys())
        raise ExecutionError(f"only one of two steps has {missing[0]}")
    least: dict[str, float] = {}
    for name, expected in reference.items():
        kind = name.partition(" ")[0]
        least[kind] = max(least.get(kind, 0.0), _LEAST_SCALE * _greatest(expected))
    worst = Difference("", 0.0)
    for name, expected in reference.items():
        value = _difference(results[name], expected, least[name.partition(" ")[0]])
        if not value <= worst.value:  # NaN is the worst
            worst = Difference(name, value)
    return worst


def _greatest(tensor: torch.Tensor) -> float:
    tensor = tensor.to_dense() if tensor.layout != torch.strided else tensor
    return float(tensor.abs().max()) if tensor.numel() and tensor.is_floating_point() else 0.0


def _difference(found: torch.Tensor, expected: torch.Tensor, least_scale: float) -> float:
    if found.layout != torch.strided:
        found, expected = found.to_dense(), expected.to_dense()
    if expected.numel() == 0 or torch.equal(found, expected):
        return 0.0
    kind = torch.complex128 if expected.is_complex() else torch.float64
    found, expected = found.to(kind), expected.to(kind)
    scale = max(float(expected.abs().max()), least_scale)
    return float((found - expected).abs().max()) / scale if scale else float("inf")
