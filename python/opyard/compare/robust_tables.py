"""The tables of best plans on perturbed machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from opyard.compare import figures
from opyard.compare.comparison import Comparison
from opyard.compare.robust import BANDWIDTH_SPREAD, OP_SPREAD, Robustness, RobustRow
from opyard.compare.statistics import Values
from opyard.compare.table import Entry, Table


def robust_tables(comparison: Comparison) -> Iterator[Table]:
    """Speed-ups, what changes them, and how far the ranking holds; nothing if none was asked."""
    robustness = comparison.robustness
    if robustness is not None and robustness.rows:
        yield _speed_ups(comparison, robustness)
        yield _changes(robustness)
        yield _rankings(comparison, robustness)


def _range_entry(row: RobustRow | None) -> Entry:
    if row is None:
        return Entry()
    text = figures.RATIO.text(row.nominal)
    found = row.range()
    if found is not None:
        text += f" [{figures.RATIO.text(found[0])}, {figures.RATIO.text(found[1])}]"
    if row.failed:
        text += f" ({row.failed}/{len(row.perturbed)} failed)"
    return Entry(text, row.nominal)


def _percent(change: float) -> str:
    """With its sign, unless it is none: "+1.5%"."""
    text = f"{change:+.1%}"
    return "0.0%" if text in ("+0.0%", "-0.0%") else text


def _speed_ups(comparison: Comparison, robustness: Robustness) -> Table:
    matrix = comparison.matrix
    workloads = [w for w in matrix.workloads if (w, robustness.baseline) in robustness.rows]
    labels = matrix.labels()
    return Table(
        "robust_speed_up",
        f"Speed-up of best plans over that of {robustness.baseline}, on perturbed machines",
        [*(labels[workload] for workload in workloads), "geomean"],
        [
            (
                agent,
                [
                    *(_range_entry(robustness.rows.get((w, agent))) for w in workloads),
                    _range_entry(robustness.overall.get(agent)),
                ],
            )
            for agent in matrix.agents
        ],
        f"On the machine as it is [least, greatest over {len(robustness.worlds)} perturbations: "
        f"costs of ops ± {OP_SPREAD:.0%} by type, bandwidths of links ± {BANDWIDTH_SPREAD:.0%}, "
        "serial ↔ fair sharing in half of them, half of what fusing saves in half of them]. Every "
        "plan, that of the baseline included, stays as it was found.",
    )


def _changes(robustness: Robustness) -> Table:
    worlds = robustness.worlds
    groups: dict[str, Callable[[int], bool]] = {
        "all": lambda i: True,
        "costs alone": lambda i: not worlds[i].swaps_sharing and worlds[i].fusion_saving == 1,
        "other sharing": lambda i: worlds[i].swaps_sharing,
        "half the fusion saving": lambda i: worlds[i].fusion_saving != 1,
    }
    rows = []
    for agent, row in robustness.overall.items():
        entries = []
        for belongs in groups.values():
            chosen = np.array([i for i in range(len(worlds)) if belongs(i)], dtype=np.intp)
            change = row.change(chosen)
            entries.append(Entry() if change is None else Entry(_percent(change), change))
        rows.append((agent, entries))
    return Table(
        "robust_change",
        "Mean change of the geomean speed-up under perturbation",
        list(groups),
        rows,
        "Of agents with a plan on every workload. Costs alone: times and bandwidths of ops and "
        "links; the others have samples of their own, too.",
    )


def _rank_entries(taus: Values) -> list[Entry]:
    known = taus[~np.isnan(taus)]
    if not len(known):
        return [Entry(), Entry()]
    figures_ = (float(known.mean()), float(known.min()))
    return [Entry(figures.fixed(value, 3), value) for value in figures_]


def _rankings(comparison: Comparison, robustness: Robustness) -> Table:
    labels = comparison.matrix.labels()
    count = len(robustness.worlds)
    whole = [*_rank_entries(robustness.taus), Entry(f"{robustness.first_kept}/{count}")]
    return Table(
        "robust_ranking",
        "Kendall's τ of the ranking of agents, as it is against perturbed",
        ["mean τ", "least τ", "first stays first"],
        [
            ("geomean of all", whole),
            *(
                (labels[w], [*_rank_entries(t), Entry()])
                for w, t in robustness.workload_taus.items()
            ),
        ],
        "1: the same order in every world; 0: no relation. τ-b, ties counted.",
        heading="workload",
    )
