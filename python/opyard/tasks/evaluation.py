"""Scores a program on the workloads of a folder."""

from __future__ import annotations

import dataclasses
import os
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opyard import _core
from opyard.tasks.answers import AnswerError, plan_of
from opyard.tasks.feedback import explanation_of, failure_text
from opyard.tasks.sandbox import Limits, run_program
from opyard.tasks.view import graph_view, machine_view
from opyard.tasks.workloads import Workload, read_workloads

_NUM_EXPLAINED = 2
_MOST_PROGRAM_BYTES = 2**20


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The plan of a program for one workload, or why there is none."""

    workload: Workload
    makespan_s: float | None
    """The step time of the plan; None if there is none, or it does not complete."""
    error: str | None
    """Why not, in words."""
    printed: str
    """The end of what the program printed."""
    seconds: float
    """The wall time of the program."""
    plan: _core.Plan | None = None

    @property
    def ratio(self) -> float:
        """The best known step time over that of the plan; 0 without one."""
        return self.workload.best_known_s / self.makespan_s if self.makespan_s else 0.0


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """The result of a program, as both frameworks take it."""

    metrics: dict[str, float]
    """`combined_score`, and the ratio of each workload by its name."""
    artifacts: dict[str, str]
    """Texts for the next prompt: what failed, or what holds the worst workloads up."""


def evaluate_program(
    folder: str | os.PathLike[str], program: str | os.PathLike[str], *, stage: int | None = None
) -> Evaluation:
    """Scores a program on the workloads of a folder that `opyard task new` made.

    `combined_score` is the geometric mean of best known over found step times: 1 is as good as
    the best known plans, and 0 is a program that fails on a workload. After a failure the rest is
    not run.

    Args:
        folder: Where `workloads.json` is.
        program: The file with `place(graph, machine)`.
        stage: 1 for the small workloads; all by default.

    Raises:
        InputError: `workloads.json` is not legal, or the program cannot be read.
    """
    workloads, limits = read_workloads(Path(folder))
    chosen = [each for each in workloads if stage is None or each.stage <= stage] or workloads
    outcomes = outcomes_of(read_program(Path(program)), chosen, limits)
    return Evaluation(_metrics(chosen, outcomes), _artifacts(outcomes))


def read_program(path: Path) -> str:
    """The text of a program.

    Raises:
        InputError: It cannot be read, or is longer than 1 MiB.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _core.InputError(f"{path}: {error.strerror}, expected a program") from error
    if len(data) > _MOST_PROGRAM_BYTES:
        raise _core.InputError(
            f"{path}: has {len(data)} bytes, expected at most {_MOST_PROGRAM_BYTES}"
        )
    return data.decode("utf-8", errors="replace")


def outcomes_of(
    text: str, workloads: Sequence[Workload], limits: Limits, *, goes_on: bool = False
) -> list[Outcome]:
    """Runs a program on workloads, up to the first failure unless it `goes_on`."""
    outcomes = []
    for workload in workloads:
        outcomes.append(outcome_of(text, workload, limits))
        if outcomes[-1].error is not None and not goes_on:
            break
    return outcomes


def outcome_of(text: str, workload: Workload, limits: Limits) -> Outcome:
    """Runs a program on one workload and simulates its plan."""
    problem = workload.problem()
    answer = run_program(text, graph_view(problem), machine_view(problem), limits)
    known = {"printed": answer.printed, "seconds": answer.seconds}
    if answer.error is not None:
        return Outcome(workload, None, answer.error, **known)
    try:
        plan = plan_of(problem, answer.plan)
        result = problem.simulate(plan)
    except (AnswerError, _core.Error) as error:
        return Outcome(workload, None, f"its plan is not legal: {str(error)[:2000]}", **known)
    if result["outcome"] != "completed":
        return Outcome(workload, None, failure_text(result), plan=plan, **known)
    return Outcome(workload, result["makespan_s"], None, plan=plan, **known)


def combined_score(outcomes: Sequence[Outcome]) -> float:
    """The geometric mean of the ratios; 0 if one of them is 0."""
    ratios = [outcome.ratio for outcome in outcomes]
    return statistics.geometric_mean(ratios) if ratios and all(ratios) else 0.0


def _metrics(chosen: Sequence[Workload], outcomes: Sequence[Outcome]) -> dict[str, float]:
    ratios = {workload.name: 0.0 for workload in chosen}
    ratios |= {outcome.workload.name: outcome.ratio for outcome in outcomes}
    is_whole = len(outcomes) == len(chosen)
    return {"combined_score": combined_score(outcomes) if is_whole else 0.0, **ratios}


def _artifacts(outcomes: Sequence[Outcome]) -> dict[str, str]:
    failed = [outcome for outcome in outcomes if outcome.error is not None]
    if failed:
        return _failure_artifacts(failed[0])
    artifacts = {"ratios": _ratio_lines(outcomes)}
    worst = sorted(outcomes, key=lambda outcome: outcome.ratio)[:_NUM_EXPLAINED]
    for number, outcome in enumerate(worst, 1):
        artifacts[f"worst_{number}"] = explanation_of(outcome.workload, outcome.plan, outcome.ratio)
    return artifacts


def _failure_artifacts(outcome: Outcome) -> dict[str, str]:
    text = f"On {outcome.workload.title} the program failed, so its score is 0: {outcome.error}"
    artifacts: dict[str, Any] = {"failure": text}
    if outcome.printed.strip():
        artifacts["printed"] = outcome.printed
    return artifacts


def _ratio_lines(outcomes: Sequence[Outcome]) -> str:
    return "\n".join(
        f"{outcome.workload.title}: {outcome.ratio:.3f} (best known "
        f"{outcome.workload.best_known_s * 1e3:.3f} ms, found {outcome.makespan_s * 1e3:.3f} ms)"
        for outcome in outcomes
        if outcome.makespan_s is not None
    )
