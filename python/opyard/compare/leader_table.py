"""The one table of the first screen: the agents, the best on top."""

from __future__ import annotations

from opyard.compare import figures
from opyard.compare.comparison import Comparison
from opyard.compare.entries import estimate_entry, optional_entry
from opyard.compare.figures import Unit
from opyard.compare.findings import seconds_text
from opyard.compare.standings import Standing, standings
from opyard.compare.table import Entry, Table, mark_best


def leader_table(comparison: Comparison) -> Table:
    """Speed-ups, on how many workloads ahead, failed runs, IQM, and what a search takes."""
    found = standings(comparison)
    rows = [(standing.agent, _entries(comparison, standing)) for standing in found]
    means = [standing.speed_up if standing.is_complete else None for standing in found]
    failed = [comparison.aggregates[standing.agent].failed for standing in found]
    return Table(
        "answer",
        "Agents",
        ["speed-up [95 %]", "ahead on", "failed", "IQM", "s per search"],
        mark_best(rows, [means], lowest=False, is_barred=lambda _, row: failed[row] > 0),
        f"Speed-up: step time of {comparison.baseline} / of the agent, geometric mean over "
        "workloads; no interval where an agent samples nothing, or one seed ran. Ahead on: of how "
        "many workloads its mean beats the baseline's. IQM: mean of the middle half of all scores "
        "best known / found, 1 is the best.",
    )


def _entries(comparison: Comparison, standing: Standing) -> list[Entry]:
    whole = comparison.aggregates[standing.agent]
    is_baseline = standing.agent == comparison.baseline
    ahead = Entry(f"{standing.ahead} of {standing.workloads}", standing.ahead)
    return [
        Entry("baseline", 1.0)
        if is_baseline and standing.speed_up
        else estimate_entry(figures.RATIO, standing.speed_up),
        Entry() if is_baseline or not standing.workloads else ahead,
        Entry(f"{whole.failed} of {whole.runs}", whole.failed) if whole.failed else Entry("0", 0),
        optional_entry(Unit("", 1.0, 3), whole.iqm.value if whole.iqm else None),
        Entry() if whole.seconds is None else Entry(seconds_text(whole.seconds), whole.seconds),
    ]
