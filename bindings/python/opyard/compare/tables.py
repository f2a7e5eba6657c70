"""The tables of a comparison."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from opyard.compare import figures
from opyard.compare.comparison import Comparison
from opyard.compare.figures import Unit
from opyard.compare.matrix import Workload
from opyard.compare.robust_tables import robust_tables
from opyard.compare.statistics import Estimate
from opyard.compare.summary import Aggregate, Summary, runs_until_repaid
from opyard.compare.table import NOTHING, Entry, Table, mark_best, upright

_INTERVALS = "[95 % bootstrap interval]"


def make_tables(comparison: Comparison) -> list[Table]:
    """All of them, in the order in which they are read; those without a figure are left out."""
    tables = [
        *_value_tables(comparison),
        _speed_ups(comparison),
        _overview(comparison),
        *_improvement(comparison),
        _costs(comparison),
        *_cost_tables(comparison),
        *_repaid(comparison),
        *_use_tables(comparison),
        *robust_tables(comparison),
    ]
    return [upright(table) for table in tables]


def _grid(
    comparison: Comparison,
    workloads: list[Workload],
    entry: Callable[[Workload, str], Entry],
) -> list[tuple[str, list[Entry]]]:
    return [
        (agent, [entry(workload, agent) for workload in workloads])
        for agent in comparison.matrix.agents
    ]


def estimate_entry(unit: Unit, estimate: Estimate | None, after: str = "") -> Entry:
    """A figure with its interval, or that there is none."""
    if estimate is None:
        return Entry((NOTHING + after).strip())
    return Entry(unit.estimate(estimate) + after, estimate.value)


def _losses(summary: Summary) -> str:
    """What is to be said of runs that are in no mean: " (1/3 failed, 1 missing)"."""
    parts = []
    if summary.failed:
        why = "" if summary.failed < summary.runs else f": {', '.join(summary.outcomes)}"
        parts.append(f"{summary.failed}/{summary.runs} failed{why}")
    if summary.missing:
        parts.append(f"{summary.missing} missing")
    return f" ({', '.join(parts)})" if parts else ""


def _value_tables(comparison: Comparison) -> Iterator[Table]:
    """What was made small, a table for each objective."""
    by_objective: dict[str, list[Workload]] = {}
    for workload in comparison.matrix.workloads:
        by_objective.setdefault(str(workload.words["objective"]), []).append(workload)
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
    return Table(
        f"value{suffix}",
        f"{title} [{unit.name}]" if unit.name else title,
        [labels[workload] for workload in workloads],
        mark_best(_grid(comparison, workloads, entry), columns, lowest=True),
        f"Mean over seeds {_INTERVALS} of a run's best plan; failed runs are counted beside it.",
    )


def _speed_ups(comparison: Comparison) -> Table:
    matrix, cells = comparison.matrix, comparison.summaries.cells
    total = len(matrix.workloads)
    rows = _grid(
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
    return Table(
        "speed_up",
        f"Speed-up over {comparison.baseline}",
        [*(labels[workload] for workload in matrix.workloads), "geomean", "failed"],
        mark_best(rows, columns, lowest=False),
        f"Mean of {comparison.baseline} / mean of the agent {_INTERVALS}; above 1 is faster. Bold "
        "stands where the intervals of all other agents lie below.",
    )


@dataclasses.dataclass(frozen=True)
class _Column:
    title: str
    entry: Callable[[Aggregate], Entry]


def _optional(unit: Unit, value: float | None) -> Entry:
    return Entry() if value is None else Entry(unit.text(value), value)


def _overview(comparison: Comparison) -> Table:
    ratio = Unit("", 1.0, 3)
    columns = [
        _Column("IQM", lambda a: estimate_entry(ratio, a.iqm)),
        _Column("optimality gap", lambda a: estimate_entry(ratio, a.optimality_gap)),
        _Column("gap to bound", lambda a: estimate_entry(ratio, a.bound_gap)),
        _Column("runs", lambda a: _optional(figures.COUNT, a.runs)),
        _Column("failed", lambda a: _optional(figures.COUNT, a.failed)),
        _Column("missing", lambda a: _optional(figures.COUNT, a.missing)),
        _Column("workloads", lambda a: _optional(figures.COUNT, a.workloads)),
    ]
    sources: dict[str, int] = {}
    for reference in comparison.summaries.references.values():
        sources[reference.source] = sources.get(reference.source, 0) + 1
    where = ", ".join(f"{source}: {count}" for source, count in sources.items())
    whole = list(comparison.aggregates.values())
    rows = [(name, [c.entry(a) for c in columns]) for name, a in comparison.aggregates.items()]
    rows = mark_best(rows, [[a.iqm for a in whole]], lowest=False)
    gaps: list[list[Estimate | None]] = [
        [],
        [a.optimality_gap for a in whole],
        [a.bound_gap for a in whole],
    ]
    return Table(
        "overview",
        "All workloads together",
        [column.title for column in columns],
        mark_best(rows, gaps, lowest=True),
        "A run scores best / found, 0 if it failed. IQM: mean of the middle half of all runs, 1 is "
        f"the best. Optimality gap: what is missing to 1, in the mean. Best (workloads): {where}. "
        "Gap to bound: the same against lower bounds of the step time.",
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
        f"How likely a run of the row's agent is better than one of the column's {_INTERVALS}, on "
        "a workload drawn at random; ties count half.",
    )


def _costs(comparison: Comparison) -> Table:
    rows = []
    for agent, a in comparison.aggregates.items():
        per_run = None
        if a.training_cpu_seconds is not None and a.cpu_seconds is not None and a.runs:
            per_run = a.cpu_seconds + a.training_cpu_seconds / a.runs
        elif a.training_cpu_seconds is None:
            per_run = a.cpu_seconds
        rows.append(
            (
                agent,
                [
                    _optional(figures.COUNT, a.evaluations),
                    _optional(figures.SECONDS, a.seconds),
                    _optional(figures.SECONDS, a.cpu_seconds),
                    _optional(figures.SECONDS, a.training_cpu_seconds),
                    _optional(figures.SECONDS, per_run),
                ],
            )
        )
    return Table(
        "cost",
        "What a search takes",
        ["evaluations", "seconds", "CPU s", "training CPU s", "CPU s with training"],
        rows,
        "Means of a run over all runs, failed ones included. Training: of the trainings that the "
        "runs of these results name, all together; with training: spread over these runs.",
    )


def _cost_tables(comparison: Comparison) -> Iterator[Table]:
    matrix, cells = comparison.matrix, comparison.summaries.cells
    kinds: list[tuple[str, str, Unit, Callable[[Summary], Estimate | None]]] = [
        ("cpu_seconds", "CPU seconds of a search", figures.SECONDS, lambda s: s.cpu_seconds),
        ("evaluations", "Evaluations of a search", figures.COUNT, lambda s: s.evaluations),
    ]
    labels = matrix.labels()
    for name, title, unit, of in kinds:
        columns = [[of(cells[w, a]) for a in matrix.agents] for w in matrix.workloads]
        if not any(estimate for column in columns for estimate in column):
            continue

        def entry(
            w: Workload,
            a: str,
            of: Callable[[Summary], Estimate | None] = of,
            unit: Unit = unit,
        ) -> Entry:
            return estimate_entry(unit, of(cells[w, a]))

        rows = _grid(comparison, matrix.workloads, entry)
        yield Table(
            name,
            title,
            [labels[workload] for workload in matrix.workloads],
            mark_best(rows, columns, lowest=True) if name == "cpu_seconds" else rows,
            f"Mean over seeds {_INTERVALS}, failed runs included.",
        )


def _repaid(comparison: Comparison) -> Iterator[Table]:
    """After how many searches an agent that was trained is cheaper than each of the others."""
    whole = comparison.aggregates
    trained = {n: a for n, a in whole.items() if a.training_cpu_seconds is not None}
    others = {n: a for n, a in whole.items() if n not in trained}
    if not trained:
        return

    def entry(a: Aggregate, b: Aggregate) -> Entry:
        if a.cpu_seconds is None or b.cpu_seconds is None or a.training_cpu_seconds is None:
            return Entry()
        count = runs_until_repaid(a.training_cpu_seconds, a.cpu_seconds, b.cpu_seconds)
        return Entry("never") if count is None else Entry(str(count), count)

    yield Table(
        "repaid",
        "Searches until training is repaid",
        [f"against {name}" for name in others],
        [(name, [entry(a, b) for b in others.values()]) for name, a in trained.items()],
        "The least number of searches after which training and searches have taken no more CPU "
        "seconds than as many searches of the other agent.",
    )


def _use_tables(comparison: Comparison) -> Iterator[Table]:
    uses, workloads = comparison.uses, comparison.matrix.workloads
    if not uses:
        return
    labels = comparison.matrix.labels()
    columns = [labels[workload] for workload in workloads]
    unit = figures.bytes_unit([use.peak_memory_bytes for use in uses.values()])

    def imbalance(workload: Workload, agent: str) -> Entry:
        use = uses.get((workload, agent))
        return _optional(Unit("", 1.0, 3), use.load_imbalance if use else None)

    def memory(workload: Workload, agent: str) -> Entry:
        use = uses.get((workload, agent))
        if use is None:
            return Entry()
        share = f" ({use.memory_share:.0%})" if use.memory_share is not None else ""
        return Entry(unit.text(use.peak_memory_bytes) + share, use.peak_memory_bytes)

    yield Table(
        "load_imbalance",
        "Load imbalance of the best plan",
        columns,
        _grid(comparison, workloads, imbalance),
        "Busy time of the busiest accelerator / mean of all; 1 is even, and all work on one of n "
        "is n. The best plan of all seeds, simulated again.",
    )
    yield Table(
        "peak_memory",
        f"Peak memory of the best plan [{unit.name}]",
        columns,
        _grid(comparison, workloads, memory),
        "Of the fullest device (share of its capacity).",
    )
