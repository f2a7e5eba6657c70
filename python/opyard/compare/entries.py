"""Entries of tables, and the grid of agents and workloads."""

from __future__ import annotations

from collections.abc import Callable

from opyard.compare.comparison import Comparison
from opyard.compare.figures import Unit
from opyard.compare.matrix import Workload
from opyard.compare.statistics import Estimate
from opyard.compare.table import NOTHING, Entry


def grid(
    comparison: Comparison,
    workloads: list[Workload],
    entry: Callable[[Workload, str], Entry],
) -> list[tuple[str, list[Entry]]]:
    """A row for each agent with an entry for each workload."""
    return [
        (agent, [entry(workload, agent) for workload in workloads])
        for agent in comparison.matrix.agents
    ]


def estimate_entry(unit: Unit, estimate: Estimate | None, after: str = "") -> Entry:
    """A figure with its interval, or that there is none."""
    if estimate is None:
        return Entry((NOTHING + after).strip())
    return Entry(unit.estimate(estimate) + after, estimate.value)


def optional_entry(unit: Unit, value: float | None) -> Entry:
    """A figure, or that there is none."""
    return Entry() if value is None else Entry(unit.text(value), value)
