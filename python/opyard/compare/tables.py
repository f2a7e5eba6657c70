"""The tables of a comparison."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from opyard.compare import figures
from opyard.compare.comparison import Comparison
from opyard.compare.cost_tables import cost_tables, costs, repaid, use_tables
from opyard.compare.entries import estimate_entry, grid, optional_entry
from opyard.compare.figures import Unit
from opyard.compare.matrix import Workload
from opyard.compare.robust_tables import robust_tables
from opyard.compare.statistics import Estimate
from opyard.compare.summary import Aggregate, Summary
from opyard.compare.table import INTERVALS, Entry, Table, mark_best, upright


def make_tables(comparison: Comparison) -> list[Table]:
    """All of them, in the order in which they are read; those without a figure are left out."""
    tables = [
        *_value_tables(comparison),
        _speed_ups(comparison),
        _overview(comparison),
        *_improvement(comparison),
        costs(comparison),
        *cost_tables(comparison),
        *repaid(comparison),
        *use_tables(comparison),
        *robust_tables(comparison),
    ]
    return [upright(table) for table in tables]


def _losses(summary: Summary) -> str:
    """The note on runs that are in no mean: " (1/3 failed, 1 missing)"."""
    parts = []
    if summary.failed:
        why = "" if summary.failed < summary.runs else f": {', '.join(summary.outcomes)}"
        parts.append(f"{summary.failed}/{summary.runs} failed{why}")
    if summary.missing:
        parts.append(f"{summary.missing} missing")
    return f" ({', '.join(parts)})" if parts else ""


def _value_tables(comparison: Comparison) -> Iterator[Table]:
    """The tables of the minimised values, one for each objective."""
    by_objective: dict[str, list[Workload]] = {}
    for workload in comparison.matrix.workloads:
        by_objective.setdefault(workload.objective, []).append(workload)
    for i, (objective, workloads) in enumerate(by_objective.items()):
        yield _value_table(comparison, objective, workloads, f"_{i + 1}" if i else "")


def _value_table(
    comparison: Comparison, objective: str, workloads: list[Workload], suffix: str
) -> Table:
    cells, matrix = comparison.summaries.cells, comparison.matrix
    found = [cells[w, a].value for w in workloads for a in matrix.agents]
    values = [estimate.value for estimate in found if estimate is not None]
    title, unit = {
        "makespan": ("Step time", figures.time_unit(values)),
        "peak_memory": ("Peak memory", figures.bytes_unit(values)),
    }.get(objective, (f"Score ({objective})", Unit("", 1.0, 4)))

    def entry(workload: Workload, agent: str) -> Entry:
        summary = cells[workload, agent]
        return estimate_entry(unit, summary.value, _losses(summary))

    columns = [[cells[w, a].value for a in matrix.agents] for w in workloads]
    labels = matrix.labels()
    bounds = _bound_row(comparison, workloads, unit)
    return Table(
        f"value{suffix}",
        f"{title} [{unit.name}]" if unit.name else title,
        [labels[workload] for workload in workloads],
        mark_best(
            grid(comparison, workloads, entry),
            columns,
            lowest=True,
            is_barred=lambda column, row: cells[workloads[column], matrix.agents[row]].failed > 0,
        )
        + bounds,
        f"Mean over seeds {INTERVALS} of a run's best plan; failed runs are counted beside it."
        + (_BOUND_NOTE if bounds else ""),
    )


_BOUND_NOTE = (
    " Bound: the greatest value that is proven to be below no plan of the problem, or of those "
    "that the agent considers that proved it; gap: 1 - bound / the best known; optimal: the best "
    "known reaches it."
)


def _bound_row(
    comparison: Comparison, workloads: list[Workload], unit: Unit
) -> list[tuple[str, list[Entry]]]:
    """The proven bound of each workload, with the gap of the best known; none without bounds."""

    def entry(workload: Workload) -> Entry:
        reference = comparison.summaries.references.get(workload)
        if reference is None or reference.bound is None:
            return Entry()
        bound, best = reference.bound, reference.best
        gap = f"gap {figures.PERCENT.text(bound.gap_of(best))}%"
        state = "optimal" if bound.is_reached_by(best) else gap
        return Entry(f"{unit.text(bound.value)} ({state})", bound.value)

    entries = [entry(workload) for workload in workloads]
    return [("bound", entries)] if any(e.value is not None for e in entries) else []


def _speed_ups(comparison: Comparison) -> Table:
    matrix, cells = comparison.matrix, comparison.summaries.cells
    total = len(matrix.workloads)
    rows = grid(
        comparison,
        matrix.workloads,
        lambda w, a: estimate_entry(figures.RATIO, cells[w, a].speed_up, _losses(cells[w, a])),
    )
    whole = [comparison.aggregates[agent] for agent in matrix.agents]
    for (_, entries), aggregate in zip(rows, whole, strict=True):
        n = aggregate.speed_up_workloads
        part = f" ({n} of {total} workloads)" if n < total else ""
        entries.append(estimate_entry(figures.RATIO, aggregate.speed_up, part))
        entries.append(Entry(f"{aggregate.failed}/{aggregate.runs}", aggregate.failed))
    columns = [[cells[w, a].speed_up for a in matrix.agents] for w in matrix.workloads]
    # A mean over fewer workloads is none that others compare with.
    columns.append([a.speed_up if a.speed_up_workloads == total else None for a in whole])
    labels = matrix.labels()

    def is_barred(column: int, row: int) -> bool:
        if column == total:
            return whole[row].failed > 0
        return cells[matrix.workloads[column], matrix.agents[row]].failed > 0

    return Table(
        "speed_up",
        f"Speed-up over {comparison.baseline}",
        [*(labels[workload] for workload in matrix.workloads), "geomean", "failed"],
        mark_best(rows, columns, lowest=False, is_barred=is_barred),
        f"Mean of {comparison.baseline} / mean of the agent {INTERVALS}; above 1 is faster. "
        "Marked, in bold or by *, where the intervals of all other agents lie below and no run has "
        "failed.",
    )


@dataclasses.dataclass(frozen=True)
class _Column:
    title: str
    entry: Callable[[Aggregate], Entry]


def _overview(comparison: Comparison) -> Table:
    ratio = Unit("", 1.0, 3)
    columns = [
        _Column("IQM", lambda a: estimate_entry(ratio, a.iqm)),
        _Column("optimality gap", lambda a: estimate_entry(ratio, a.optimality_gap)),
        _Column("gap to bound", lambda a: estimate_entry(ratio, a.bound_gap)),
        _Column("runs", lambda a: optional_entry(figures.COUNT, a.runs)),
        _Column("failed", lambda a: optional_entry(figures.COUNT, a.failed)),
        _Column("missing", lambda a: optional_entry(figures.COUNT, a.missing)),
        _Column("workloads", lambda a: optional_entry(figures.COUNT, a.workloads)),
    ]
    optima = ""
    if any(a.optimal for a in comparison.aggregates.values()):
        columns.append(_Column("optimal", lambda a: optional_entry(figures.COUNT, a.optimal)))
        optima = " Optimal: runs that reach a proven bound."
    sources: dict[str, int] = {}
    for reference in comparison.summaries.references.values():
        sources[reference.source] = sources.get(reference.source, 0) + 1
    where = ", ".join(f"{source}: {count}" for source, count in sources.items())
    whole = list(comparison.aggregates.values())
    rows = [(name, [c.entry(a) for c in columns]) for name, a in comparison.aggregates.items()]

    def is_barred(_: int, row: int) -> bool:
        return whole[row].workloads < len(comparison.matrix.workloads)

    rows = mark_best(rows, [[a.iqm for a in whole]], lowest=False, is_barred=is_barred)
    gaps: list[list[Estimate | None]] = [
        [],
        [a.optimality_gap for a in whole],
        [a.bound_gap for a in whole],
    ]
    return Table(
        "overview",
        "All workloads together",
        [column.title for column in columns],
        mark_best(rows, gaps, lowest=True, is_barred=is_barred),
        "A run scores best / found, 0 if it failed. IQM: mean of the middle half of all runs, 1 is "
        f"the best. Optimality gap: what is missing to 1, in the mean. Best (workloads): {where}. "
        f"Gap to bound: the same against proven bounds.{optima}",
    )


def _improvement(comparison: Comparison) -> Iterator[Table]:
    if not comparison.improvement:
        return
    agents = comparison.matrix.agents
    unit = Unit("", 1.0, 2)
    yield Table(
        "improvement",
        "Probability of improvement",
        [f"over {agent}" for agent in agents],
        [
            (x, [estimate_entry(unit, comparison.improvement.get((x, y))) for y in agents])
            for x in agents
        ],
        f"How likely a run of the row's agent is better than one of the column's {INTERVALS}, on "
        "a workload sampled at random; ties count half.",
    )
