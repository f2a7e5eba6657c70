"""The best plan so far, by evaluations and by seconds."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from opyard.compare.matrix import Matrix, Workload
from opyard.compare.references import Reference
from opyard.compare.run import History, Run
from opyard.compare.statistics import Bootstrap, Values, trimmed_mean

Axis = Literal["evaluations", "seconds"]
Histories = Mapping[tuple[str, int], History]  # by the folder and the id of the run

_NUM_POINTS = 48
_LEAST_SECONDS = 1e-3
_REPETITIONS = 200  # for the bands: nobody quotes numbers from a curve


@dataclasses.dataclass(frozen=True)
class Curve:
    """A figure with its band over a grid."""

    value: Values  # [points]
    low: Values
    high: Values


@dataclasses.dataclass(frozen=True)
class AnytimeCurves:
    """Interquartile means of best known / best so far; 0 before a run has a plan."""

    grid: Values  # [points], ascending; evaluations or seconds
    curves: dict[str, Curve]  # by agent


def steps_of(history: History | None, axis: Axis, grid: Values) -> Values:
    """The best value so far at each point of `grid`; NaN before the first plan."""
    if history is None:
        return np.full(len(grid), np.nan)
    place = np.searchsorted(getattr(history, axis), grid, side="right") - 1
    return np.where(place >= 0, history.values[np.maximum(place, 0)], np.nan)


def make_grid(histories: Sequence[History], axis: Axis, last: float) -> Values:
    """Points from the first improvement of any run to `last`, evenly on a logarithmic axis."""
    least = 1.0 if axis == "evaluations" else _LEAST_SECONDS
    firsts = [float(getattr(history, axis)[0]) for history in histories]
    first = max(min(firsts, default=least), least)
    points = np.geomspace(first, max(last, first), _NUM_POINTS)
    if axis == "evaluations":
        points = np.unique(np.round(points))
    points[-1] = max(last, first)
    return points


def _scores(runs: Sequence[tuple[Run, float]], axis: Axis, grid: Values, of: Histories) -> Values:
    """[runs, points]: best known / best so far."""
    rows = []
    for run, best in runs:
        history = of.get((run.folder, run.id)) if run.is_done else None
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = best / steps_of(history, axis, grid)
        rows.append(np.nan_to_num(scores, nan=0.0, posinf=1.0))
    return np.array(rows)


def _curve(scores: Values, sizes: Sequence[int], bootstrap: Bootstrap) -> Curve:
    ones = np.ones((1, len(scores)))
    columns = scores.T
    value = np.array([trimmed_mean(column, ones)[0] for column in columns])
    if max(sizes) < 2:
        return Curve(value, value, value)

    def statistic(weights: Values) -> Values:
        return np.stack([trimmed_mean(column, weights) for column in columns], axis=1)

    return Curve(value, *bootstrap.interval(sizes, statistic))


def anytime_curves(
    matrix: Matrix,
    references: Mapping[Workload, Reference],
    histories: Histories,
    axis: Axis,
    bootstrap: Bootstrap,
) -> AnytimeCurves:
    """The curve of each agent over all of its runs."""
    runs = [run for agent in matrix.agents for run in matrix.runs_of(agent)]
    last = max(float(getattr(run, axis)) for run in runs)
    grid = make_grid(list(histories.values()), axis, last)
    fewer = Bootstrap(min(_REPETITIONS, bootstrap.repetitions), bootstrap.seed)
    curves = {}
    for agent in matrix.agents:
        groups = [
            [(run, references[workload].best) for run in matrix.of(workload, agent)]
            for workload in matrix.workloads
            if workload in references and matrix.of(workload, agent)
        ]
        if groups:
            scores = _scores([pair for group in groups for pair in group], axis, grid, histories)
            curves[agent] = _curve(scores, [len(group) for group in groups], fewer)
    return AnytimeCurves(grid, curves)
