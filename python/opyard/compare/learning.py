"""Curves of agents that learn: of their runs, and of trainings before these."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping

import numpy as np

from opyard.compare.anytime import Curve
from opyard.compare.matrix import Matrix
from opyard.compare.reports import Report, Reports
from opyard.compare.statistics import Values

_MOST_POINTS = 200
# First those that say most. The step time of the best plan is left out: the curves of the best plan
# so far show it, and a median over workloads has no meaning.
_FIRST = ("mean_reward", "loss", "entropy", "completed", "gradient_norm", "kl")
_LEFT_OUT = frozenset({"best_makespan_s", "steps"})


@dataclasses.dataclass(frozen=True)
class Learning:
    """One value of all agents that reported it."""

    value: str  # its name in the store
    is_before_runs: bool  # of trainings that runs began with
    curves: dict[str, tuple[Values, Curve]]  # by agent: updates, and the values there


def learning_of(
    matrix: Matrix,
    runs: Mapping[tuple[str, int], Reports],
    trainings: Mapping[str, Reports],
) -> list[Learning]:
    """The medians over runs with their quartiles; the one curve of each training.

    Args:
        matrix: The runs; an agent without a run has no curve.
        runs: By the folder and the id of the run.
        trainings: By agent.
    """
    reports = {
        agent: [runs[run.folder, run.id] for run in matrix.runs_of(agent)
                if (run.folder, run.id) in runs]
        for agent in matrix.agents
    }  # fmt: skip
    before = {agent: [trainings[agent]] for agent in matrix.agents if agent in trainings}
    return [*_learning(reports, False), *_learning(before, True)]


def _learning(reports: Mapping[str, list[Reports]], is_before_runs: bool) -> Iterable[Learning]:
    names = {name for of_agent in reports.values() for report in of_agent for name in report}
    rank = {name: i for i, name in enumerate(_FIRST)}
    for name in sorted(names - _LEFT_OUT, key=lambda name: (rank.get(name, len(rank)), name)):
        curves = {
            agent: curve
            for agent, of_agent in reports.items()
            if (curve := _curve([r[name] for r in of_agent if name in r])) is not None
        }
        if curves:
            yield Learning(name, is_before_runs, curves)


def _curve(reports: list[Report]) -> tuple[Values, Curve] | None:
    """Over the updates of all; None where no run made two of them."""
    if max((len(report.updates) for report in reports), default=0) < 2:
        return None
    grid = np.unique(np.concatenate([report.updates for report in reports]))
    if len(grid) > _MOST_POINTS:
        grid = grid[np.unique(np.linspace(0, len(grid) - 1, _MOST_POINTS).round().astype(int))]
    rows = [
        np.interp(grid, report.updates, report.values, left=math.nan, right=math.nan)
        for report in reports
    ]
    low, middle, high = np.nanquantile(np.array(rows), (0.25, 0.5, 0.75), axis=0)
    return grid, Curve(middle, low, high)
