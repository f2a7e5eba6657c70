"""Summaries of the runs of each agent: on each workload, and over all of them."""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Mapping, Sequence

import numpy as np

from opyard.compare import statistics
from opyard.compare.matrix import Matrix, Workload
from opyard.compare.references import Reference
from opyard.compare.run import Run
from opyard.compare.statistics import Bootstrap, Estimate, Values


@dataclasses.dataclass(frozen=True)
class Summary:
    """One agent on one workload. Runs that failed count in `failed` and in what searches took."""

    runs: int
    failed: int
    missing: int
    outcomes: dict[str, int]  # of failed runs
    value: Estimate | None  # in the units of the objective, over runs that did not fail
    speed_up: Estimate | None  # the baseline's mean over the agent's
    evaluations: Estimate | None
    seconds: Estimate | None
    cpu_seconds: Estimate | None  # None where it is not known of every run


@dataclasses.dataclass(frozen=True)
class Aggregate:
    """One agent over all workloads on which it has a run.

    Scores are best known / found, so that 1 is as good as is known; failed runs score 0.
    """

    runs: int
    failed: int
    missing: int
    workloads: int  # with a run
    speed_up: Estimate | None  # geometric mean
    speed_up_workloads: int  # over how many: those where agent and baseline have a plan
    iqm: Estimate | None
    optimality_gap: Estimate | None
    bound_gap: Estimate | None  # the same against proven bounds
    optimal: int  # runs that reach a proven bound
    evaluations: float | None
    seconds: float | None
    cpu_seconds: float | None  # mean of a run
    training_cpu_seconds: float | None  # of the trainings of its runs, each once; None without


def array(values: Sequence[float]) -> Values:
    """Values as statistics take them."""
    return np.array(values, dtype=np.float64)


def score_of(run: Run, target: float) -> float:
    """`target` / found, 0 for a failed run."""
    if run.value is None:
        return 0.0
    return target / run.value if run.value > 0 else 1.0


class Summaries:
    """All figures of a comparison against one baseline."""

    def __init__(
        self,
        matrix: Matrix,
        baseline: str,
        references: Mapping[Workload, Reference],
        bootstrap: Bootstrap,
    ) -> None:
        """Computes the figures of every agent on every workload."""
        self.matrix = matrix
        self.baseline = baseline
        self.references = references
        self.bootstrap = bootstrap
        self._values = {key: _found(runs) for key, runs in matrix.runs.items()}
        self._compared = {a: self._workloads_of_both(a) for a in matrix.agents}
        self.cells = {
            (workload, agent): self._cell(workload, agent)
            for workload in matrix.workloads
            for agent in matrix.agents
        }

    def _cell(self, workload: Workload, agent: str) -> Summary:
        runs = self.matrix.of(workload, agent)
        failed = collections.Counter(run.outcome for run in runs if run.value is None)
        cpu = [run.cpu_seconds for run in runs if run.cpu_seconds is not None]
        return Summary(
            runs=len(runs),
            failed=sum(failed.values()),
            missing=len(self.matrix.missing.get((workload, agent), ())),
            outcomes=dict(sorted(failed.items())),
            value=self._mean(agent, self._values.get((workload, agent), ())),
            speed_up=self._speed_up([workload], agent),
            evaluations=self._mean(agent, [run.evaluations for run in runs]),
            # No agent's time is certain, even if its plan is.
            seconds=self._mean(None, [run.seconds for run in runs]),
            cpu_seconds=self._mean(None, cpu) if len(cpu) == len(runs) else None,
        )

    def _mean(self, agent: str | None, values: Sequence[float]) -> Estimate | None:
        if not values:
            return None
        if len(values) == 1 and agent in self.matrix.deterministic:
            return Estimate(values[0], values[0], values[0])
        return statistics.mean_over_seeds(array(values))

    def compared(self, agent: str) -> list[Workload]:
        """The workloads on which the agent and the baseline have plans that take time."""
        return self._compared[agent]

    def _workloads_of_both(self, agent: str) -> list[Workload]:
        def is_measured(workload: Workload, name: str) -> bool:
            return min(self._values.get((workload, name)) or [0.0]) > 0

        return [
            workload
            for workload in self.matrix.workloads
            if is_measured(workload, self.baseline) and is_measured(workload, agent)
        ]

    def _speed_up(self, workloads: Sequence[Workload], agent: str) -> Estimate | None:
        shared = [workload for workload in workloads if workload in self._compared[agent]]
        if not shared:
            return None
        if agent == self.baseline:
            return Estimate(1.0, 1.0, 1.0)
        names = (self.baseline, agent)
        strata = [[array(self._values[w, name]) for w in shared] for name in names]
        estimate = statistics.geometric_speed_up(strata[0], strata[1], self.bootstrap)
        alone = [
            name
            for name, values in zip(names, strata, strict=True)
            if all(len(v) == 1 for v in values)
        ]
        if not estimate.has_interval and set(alone) <= self.matrix.deterministic:
            return Estimate(estimate.value, estimate.value, estimate.value)
        # One run says nothing of how others would end: no interval is better than half of one.
        return estimate if set(alone) <= self.matrix.deterministic else Estimate(estimate.value)

    def scores(self, agent: str, workloads: Sequence[Workload] | None = None) -> list[Values]:
        """The scores of an agent's runs, for each workload that has any."""
        chosen = self.matrix.workloads if workloads is None else workloads
        return [
            array([score_of(run, self.references[w].best) for run in self.matrix.of(w, agent)])
            for w in chosen
            if w in self.references and self.matrix.of(w, agent)
        ]

    def _bound_scores(self, agent: str) -> list[Values]:
        return [
            array([score_of(run, bound.value) for run in self.matrix.of(workload, agent)])
            for workload, reference in self.references.items()
            if (bound := reference.bound) and bound.value and self.matrix.of(workload, agent)
        ]

    def bound_gap(self, workload: Workload, agent: str) -> float | None:
        """1 - bound / found, the mean over runs; a failed run has 1. None without a bound."""
        reference = self.references.get(workload)
        runs = self.matrix.of(workload, agent)
        if reference is None or reference.bound is None or not runs:
            return None
        bound = reference.bound
        return _mean_of([1.0 if run.value is None else bound.gap_of(run.value) for run in runs])

    def _optimal(self, agent: str) -> int:
        """The runs of an agent that reach a proven bound."""
        return sum(
            run.value is not None and reference.bound.is_reached_by(run.value)
            for workload, reference in self.references.items()
            if reference.bound is not None
            for run in self.matrix.of(workload, agent)
        )

    def aggregate(self, agent: str, trainings: Mapping[tuple[str, int], float]) -> Aggregate:
        """All workloads together.

        Args:
            agent: Its label.
            trainings: CPU seconds of each training, by the folder and the id of its store.
        """
        runs = self.matrix.runs_of(agent)
        cells = [self.cells[workload, agent] for workload in self.matrix.workloads]
        scores, bounds = self.scores(agent), self._bound_scores(agent)
        used = {(run.folder, run.training_id) for run in runs if run.training_id is not None}
        cpu = [run.cpu_seconds for run in runs if run.cpu_seconds is not None]
        gap = statistics.optimality_gap
        return Aggregate(
            runs=len(runs),
            failed=sum(cell.failed for cell in cells),
            missing=sum(cell.missing for cell in cells),
            workloads=sum(cell.runs > 0 for cell in cells),
            speed_up=self._speed_up(self.matrix.workloads, agent),
            speed_up_workloads=len(self.compared(agent)),
            iqm=statistics.interquartile_mean(scores, self.bootstrap) if scores else None,
            optimality_gap=gap(scores, self.bootstrap) if scores else None,
            bound_gap=gap(bounds, self.bootstrap) if bounds else None,
            optimal=self._optimal(agent),
            evaluations=_mean_of([run.evaluations for run in runs]),
            seconds=_mean_of([run.seconds for run in runs]),
            cpu_seconds=_mean_of(cpu) if len(cpu) == len(runs) else None,
            training_cpu_seconds=math.fsum(trainings[key] for key in used) if used else None,
        )

    def improvement(self, x: str, y: str) -> Estimate | None:
        """The probability that a run of agent `x` beats one of `y`, on the workloads of both."""
        shared = [
            workload
            for workload in self.references
            if self.matrix.of(workload, x) and self.matrix.of(workload, y)
        ]
        if not shared:
            return None
        return statistics.probability_of_improvement(
            self.scores(x, shared), self.scores(y, shared), self.bootstrap
        )


def _found(runs: Sequence[Run]) -> list[float]:
    return [run.value for run in runs if run.value is not None]


def _mean_of(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def runs_until_repaid(training: float, trained: float, other: float) -> int | None:
    """The least number of searches after which a training has paid for itself; None for never.

    Args:
        training: CPU seconds of the training.
        trained: Those of a search of the agent that was trained.
        other: Those of a search of an agent without training.
    """
    saved = other - trained
    return math.ceil(training / saved) if saved > 0 else None
