"""The tables of what searches take, and of what their best plans do with a machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from opyard.compare import figures
from opyard.compare.comparison import Comparison
from opyard.compare.entries import estimate_entry, grid, optional_entry
from opyard.compare.figures import Unit
from opyard.compare.matrix import Workload
from opyard.compare.statistics import Estimate
from opyard.compare.summary import Aggregate, Summary, runs_until_repaid
from opyard.compare.table import INTERVALS, Entry, Table, mark_best


def costs(comparison: Comparison) -> Table:
    """Over all workloads, with training and without."""
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
                    optional_entry(figures.COUNT, a.evaluations),
                    optional_entry(figures.SECONDS, a.seconds),
                    optional_entry(figures.SECONDS, a.cpu_seconds),
                    optional_entry(figures.SECONDS, a.training_cpu_seconds),
                    optional_entry(figures.SECONDS, per_run),
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


def cost_tables(comparison: Comparison) -> Iterator[Table]:
    """CPU seconds and evaluations on each workload."""
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

        rows = grid(comparison, matrix.workloads, entry)
        yield Table(
            name,
            title,
            [labels[workload] for workload in matrix.workloads],
            mark_best(rows, columns, lowest=True) if name == "cpu_seconds" else rows,
            f"Mean over seeds {INTERVALS}, failed runs included.",
        )


def repaid(comparison: Comparison) -> Iterator[Table]:
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


def use_tables(comparison: Comparison) -> Iterator[Table]:
    """Load imbalance and peak memory; nothing if no plan was simulated again."""
    uses, workloads = comparison.uses, comparison.matrix.workloads
    if not uses:
        return
    labels = comparison.matrix.labels()
    columns = [labels[workload] for workload in workloads]
    unit = figures.bytes_unit([use.peak_memory_bytes for use in uses.values()])

    def imbalance(workload: Workload, agent: str) -> Entry:
        use = uses.get((workload, agent))
        return optional_entry(Unit("", 1.0, 3), use.load_imbalance if use else None)

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
        grid(comparison, workloads, imbalance),
        "Busy time of the busiest accelerator / mean of all; 1 is even, and all work on one of n "
        "is n. The best plan of all seeds, simulated again.",
    )
    yield Table(
        "peak_memory",
        f"Peak memory of the best plan [{unit.name}]",
        columns,
        grid(comparison, workloads, memory),
        "Of the fullest device (share of its capacity).",
    )
