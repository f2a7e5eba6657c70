"""One comparison: all that is found out, before any of it is printed."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from opyard.compare import fairness, replay, robust, statistics
from opyard.compare.anytime import AnytimeCurves, Axis, Curve, anytime_curves
from opyard.compare.errors import CompareError
from opyard.compare.learning import Learning, learning_of
from opyard.compare.matrix import Matrix, Part, Workload, make_matrix
from opyard.compare.references import BestKnown, find_references
from opyard.compare.statistics import Bootstrap, Estimate, Values
from opyard.compare.store import Store
from opyard.compare.summary import Aggregate, Summaries

Progress = Callable[[str], None]
_USUAL_BASELINES = ("single_device", "human_expert")
THRESHOLDS = np.linspace(0.0, 1.0, 101)


@dataclasses.dataclass(frozen=True)
class Question:
    """A question about stored results."""

    results: Sequence[Path]
    baseline: str | None = None
    best_known: Path | None = None
    perturbations: int | None = None  # None: plans are not evaluated on other machines
    bootstrap: Bootstrap = dataclasses.field(default_factory=Bootstrap)


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The answer. Rows of all parts are in the order of `matrix`."""

    question: Question
    experiments: list[str]
    matrix: Matrix
    summaries: Summaries
    aggregates: dict[str, Aggregate]  # by agent
    improvement: dict[tuple[str, str], Estimate]
    uses: dict[tuple[Workload, str], replay.DeviceUse]  # of best plans
    profiles: dict[str, Curve]  # by agent, over THRESHOLDS
    anytime: dict[Axis, AnytimeCurves]
    learning: list[Learning]  # what agents that learn reported
    robustness: robust.Robustness | None
    fairness: list[str]
    warnings: list[str]

    @property
    def baseline(self) -> str:
        """The agent that speed-ups are relative to."""
        return self.summaries.baseline


@dataclasses.dataclass
class _Replayed:
    bounds: dict[Workload, float] = dataclasses.field(default_factory=dict)
    uses: dict[tuple[Workload, str], replay.DeviceUse] = dataclasses.field(default_factory=dict)
    times: dict[Workload, dict[str, Values]] = dataclasses.field(default_factory=dict)
    nominal: dict[Workload, dict[str, float]] = dataclasses.field(default_factory=dict)
    absent: list[Workload] = dataclasses.field(default_factory=list)


def compare(question: Question, progress: Progress = lambda text: None) -> Comparison:
    """Reads the stores, simulates the best plans again, and computes every figure.

    Args:
        question: What is asked.
        progress: Called with a description of the current step.

    Raises:
        CompareError: Results that cannot be compared, an unknown baseline, a wrong table.
    """
    worlds = _worlds(question)
    with contextlib.ExitStack() as stack:
        stores = {str(path): stack.enter_context(Store(path)) for path in question.results}
        progress("reading")
        parts = [Part(store.runs(), store.asked()) for store in stores.values()]
        matrix = make_matrix(parts)
        baseline = _baseline(matrix, parts, question.baseline)
        known = None if question.best_known is None else BestKnown(question.best_known)
        replayed = _replay(matrix, stores, worlds, progress)
        references = find_references(matrix, list(stores.values()), known, replayed.bounds)
        trainings = {
            (folder, training): seconds
            for folder, store in stores.items()
            for training, seconds in store.training_cpu_seconds().items()
        }
        histories = {
            (folder, run): history
            for folder, store in stores.items()
            for run, history in store.histories().items()
        }
        learning = _learning(matrix, stores)
        experiments = list(dict.fromkeys(store.experiment() for store in stores.values()))
    progress("computing intervals")
    summaries = Summaries(matrix, baseline, references, question.bootstrap)
    axes: tuple[Axis, ...] = ("evaluations", "seconds")
    return Comparison(
        question=question,
        experiments=experiments,
        matrix=matrix,
        summaries=summaries,
        aggregates={a: summaries.aggregate(a, trainings) for a in matrix.agents},
        improvement=_improvement(summaries),
        uses=replayed.uses,
        profiles=_profiles(summaries),
        anytime={
            axis: anytime_curves(matrix, references, histories, axis, question.bootstrap)
            for axis in axes
        },
        learning=learning,
        robustness=robust.make_robustness(baseline, worlds, replayed.times, replayed.nominal)
        if worlds
        else None,
        fairness=fairness.fairness_lines(matrix),
        warnings=fairness.warnings_of(matrix) + _replay_warnings(replayed),
    )


def _learning(matrix: Matrix, stores: Mapping[str, Store]) -> list[Learning]:
    runs = {
        (folder, run): reports
        for folder, store in stores.items()
        for run, reports in store.reports().items()
    }
    trainings = {
        agent: reports
        for store in stores.values()
        for agent, reports in store.training_reports().items()
    }
    return learning_of(matrix, runs, trainings)


def _worlds(question: Question) -> list[robust.Perturbation]:
    count = question.perturbations
    return [] if count is None else robust.perturbations(count, question.bootstrap.seed)


def _baseline(matrix: Matrix, parts: Sequence[Part], asked: str | None) -> str:
    if asked is not None:
        if asked not in matrix.agents:
            raise CompareError(
                f'--baseline: found "{asked}", expected one of {", ".join(matrix.agents)}'
            )
        return asked
    problems = [part.experiment.problem for part in parts if part.experiment is not None]
    # Stores without their experiment name the baseline with agents whose rewards refer to it.
    problems += [run.settings["problem"] for part in parts for run in part.runs]
    wished = dict.fromkeys(problem.get("baseline") for problem in problems)
    candidates: list[str | None] = [*wished, *_USUAL_BASELINES, *matrix.agents]
    return next(agent for agent in candidates if agent is not None and matrix.runs_of(agent))


def _replay(
    matrix: Matrix,
    stores: Mapping[str, Store],
    worlds: list[robust.Perturbation],
    progress: Progress,
) -> _Replayed:
    replayed = _Replayed()
    loader = replay.Replay(matrix, stores)
    for i, workload in enumerate(matrix.workloads):
        progress(f"simulating best plans: workload {i + 1} of {len(matrix.workloads)}")
        world = loader.world(workload)
        if world is None:
            if any(run.value is not None for a in matrix.agents for run in matrix.of(workload, a)):
                replayed.absent.append(workload)
            continue
        if workload.objective == "makespan":
            replayed.bounds[workload] = world.problem.problem_bound_s
        for agent in world.plans:
            replayed.uses[workload, agent] = replay.device_use(world, agent)
        if worlds:
            replayed.times[workload] = robust.perturbed_times(world, worlds)
            replayed.nominal[workload] = {
                agent: run.makespan_s for agent, run in world.runs.items() if run.makespan_s
            }
    return replayed


def _replay_warnings(replayed: _Replayed) -> list[str]:
    if not replayed.absent:
        return []
    names = ", ".join(workload.label for workload in replayed.absent)
    return [
        f"not simulated again ({names}): the results are of a schema before 3, which kept no "
        "graphs and machines; `opyard run --resume` brings them up to date"
    ]


def _improvement(summaries: Summaries) -> dict[tuple[str, str], Estimate]:
    agents = summaries.matrix.agents
    found: dict[tuple[str, str], Estimate] = {}
    for i, x in enumerate(agents):
        for y in agents[i + 1 :]:
            estimate = summaries.improvement(x, y)
            if estimate is not None:
                found[x, y] = estimate
                found[y, x] = _complement(estimate)
    return found


def _complement(estimate: Estimate) -> Estimate:
    if estimate.low is None or estimate.high is None:
        return Estimate(1 - estimate.value)
    return Estimate(1 - estimate.value, 1 - estimate.high, 1 - estimate.low)


def _profiles(summaries: Summaries) -> dict[str, Curve]:
    profiles = {}
    for agent in summaries.matrix.agents:
        scores = summaries.scores(agent)
        if scores:
            # A run that is as good as the best known counts at 1, too.
            shifted = THRESHOLDS - 1e-12
            profiles[agent] = Curve(*statistics.profile(scores, shifted, summaries.bootstrap))
    return profiles
