"""Tables as values: what terminal, HTML, Markdown and LaTeX print alike."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from opyard.compare.statistics import Estimate

NOTHING = "—"
INTERVALS = "[95 % interval]"


@dataclasses.dataclass(frozen=True)
class Entry:
    """One cell: its text, and the number by which columns are sorted."""

    text: str = NOTHING
    value: float | None = None
    is_best: bool = False


@dataclasses.dataclass(frozen=True)
class Table:
    """Rows under one heading; `name` is fit for a file."""

    name: str
    title: str
    columns: list[str]  # without that of the row's names
    rows: list[tuple[str, list[Entry]]]
    note: str = ""
    heading: str = "agent"  # of the row's names


MOST_COLUMNS = 8  # that a page has room for, with intervals


def upright(table: Table) -> Table:
    """The same with workloads as rows where they are too many for columns."""
    if len(table.columns) <= max(MOST_COLUMNS, len(table.rows)):
        return table
    rows = [
        (column, [entries[i] for _, entries in table.rows])
        for i, column in enumerate(table.columns)
    ]
    names = [name for name, _ in table.rows]
    return dataclasses.replace(table, columns=names, rows=rows, heading="workload")


def best_of(estimates: Sequence[Estimate | None], lowest: bool) -> int | None:
    """The index whose interval lies beyond those of all others; None if there is none such.

    One without an interval may be anything, so beside it nothing is the best.
    """
    there = [(i, e) for i, e in enumerate(estimates) if e is not None]
    if len(there) < 2 or any(e.low is None or e.high is None for _, e in there):
        return None
    sign = 1.0 if lowest else -1.0
    best, first = min(there, key=lambda pair: sign * pair[1].value)

    def is_apart(other: Estimate) -> bool:
        assert None not in (first.low, first.high, other.low, other.high)
        if lowest:
            return first.high < other.low  # type: ignore[operator]
        return first.low > other.high  # type: ignore[operator]

    return best if all(is_apart(e) for i, e in there if i != best) else None


def mark_best(
    rows: list[tuple[str, list[Entry]]],
    columns: Sequence[Sequence[Estimate | None]],
    lowest: bool,
    is_barred: Callable[[int, int], bool] = lambda column, row: False,
) -> list[tuple[str, list[Entry]]]:
    """The rows with the best entry of each column marked.

    Args:
        rows: The table's.
        columns: What the entries stand for, [columns][rows].
        lowest: Whether less is better.
        is_barred: Column and row of an entry that is no best, as one whose failed runs are in no
            mean; others are not the best beside it, either, unless they are better.
    """
    for column, estimates in enumerate(columns):
        best = best_of(estimates, lowest)
        if best is not None and not is_barred(column, best):
            entries = rows[best][1]
            entries[column] = dataclasses.replace(entries[column], is_best=True)
    return rows
