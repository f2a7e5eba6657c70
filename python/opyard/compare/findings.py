"""One line for each subject of a comparison: what stands there, for those who do not open it.

Names stand in backquotes, as in verdicts. No line is "" where there is nothing to say.
"""

from __future__ import annotations

import collections

import numpy as np

from opyard.compare import figures
from opyard.compare.charts import shortened, value_unit
from opyard.compare.comparison import THRESHOLDS, Comparison
from opyard.compare.fairness import budget_text
from opyard.compare.matrix import Workload
from opyard.compare.standings import standings
from opyard.compare.statistics import Estimate
from opyard.compare.verdict import named, ratio
from opyard.compare.verdict import quoted as quoted_whole

_NEAR = 0.95  # of the best known
_LONGEST_NAME = 36  # characters
_MOST_NAMED = 3


def quoted(name: str) -> str:
    """A name as verdicts hold it, shorter if it is long."""
    return quoted_whole(shortened(name, _LONGEST_NAME))


def of_speed_ups(comparison: Comparison) -> str:
    """The least and the greatest speed-up of the best agent."""
    best = standings(comparison)[0].agent
    if best == comparison.baseline:
        return f"over {quoted(best)}, which is the best"
    labels = comparison.matrix.labels()
    cells = comparison.summaries.cells
    found = [
        (estimate.value, labels[workload])
        for workload in comparison.matrix.workloads
        if (estimate := cells[workload, best].speed_up) is not None
    ]
    if not found:
        return ""
    (least, where), (most, there) = min(found), max(found)
    if len(found) == 1:
        return f"{quoted(best)}: {ratio(least)} ×"
    return (
        f"{quoted(best)}: {ratio(least)} × ({quoted(where)}) to {ratio(most)} × ({quoted(there)})"
    )


def best_on(comparison: Comparison, workload: Workload) -> tuple[str, Estimate] | None:
    """The agent with the best mean on a workload."""
    cells = comparison.summaries.cells
    found = {a: cells[workload, a].value for a in comparison.matrix.agents}
    there = {agent: estimate for agent, estimate in found.items() if estimate is not None}
    if not there:
        return None
    best = min(there, key=lambda agent: there[agent].value)
    return best, there[best]


def value_text(workload: Workload, value: float) -> str:
    """A value of a workload's objective with its unit."""
    _, unit = value_unit(workload.objective, [value])
    return f"{unit.text(value)} {unit.name}".strip()


def of_values(comparison: Comparison) -> str:
    """The best mean of the workloads."""
    labels = comparison.matrix.labels()
    found = [
        (best[1].value, workload)
        for workload in comparison.matrix.workloads
        if (best := best_on(comparison, workload)) is not None
    ]
    if not found or len({workload.objective for _, workload in found}) > 1:
        return ""
    ends = [min(found, key=lambda pair: pair[0]), max(found, key=lambda pair: pair[0])]
    texts = [f"{value_text(w, value)} ({quoted(labels[w])})" for value, w in ends]
    if len({value_text(w, value) for value, w in ends}) == 1:
        texts = [value_text(ends[0][1], ends[0][0])]
    return "best means: " + " to ".join(texts)


def of_workloads(comparison: Comparison) -> str:
    """The agents that have the best mean on most workloads."""
    found = [best_on(comparison, workload) for workload in comparison.matrix.workloads]
    counts = collections.Counter(best[0] for best in found if best is not None)
    if not counts:
        return "nobody has a plan"
    most = counts.most_common(_MOST_NAMED)
    more = len(counts) - len(most)
    text = ", ".join(f"{quoted(agent)} on {count}" for agent, count in most)
    return f"timelines and graphs of best plans; best mean: {text}" + (
        f" and {more} more agents" if more else ""
    )


def of_workload(comparison: Comparison, workload: Workload) -> str:
    """The best mean of one workload, its lead over the baseline, and what a bound leaves."""
    best = best_on(comparison, workload)
    if best is None:
        return "nobody has a plan"
    agent, estimate = best
    parts = [f"{quoted(agent)} {value_text(workload, estimate.value)}"]
    speed_up = comparison.summaries.cells[workload, agent].speed_up
    if speed_up is not None and agent != comparison.baseline:
        parts.append(f"{ratio(speed_up.value)} × over {quoted(comparison.baseline)}")
    reference = comparison.summaries.references.get(workload)
    if reference is not None and reference.bound is not None:
        bound = reference.bound
        is_optimal = bound.is_reached_by(reference.best)
        gap = figures.PERCENT.text(bound.gap_of(reference.best))
        parts.append("proven optimal" if is_optimal else f"at most {gap} % left to gain")
    return "; ".join(parts)


def of_overview(comparison: Comparison) -> str:
    """The highest interquartile mean."""
    means = {a: g.iqm for a, g in comparison.aggregates.items() if g.iqm is not None}
    if not means:
        return ""
    best = max(means, key=lambda agent: means[agent].value)
    return f"highest IQM: {quoted(best)}, {figures.Unit('').estimate(means[best])}"


def of_improvement(comparison: Comparison) -> str:
    """The probability that the first agent beats the second."""
    found = standings(comparison)
    estimate = comparison.improvement.get((found[0].agent, found[1].agent))
    if estimate is None:
        return ""
    return (
        f"a run of {quoted(found[0].agent)} beats one of {quoted(found[1].agent)} with probability "
        f"{figures.fixed(estimate.value, 2)}"
    )


def of_profile(comparison: Comparison) -> str:
    """The agent with the most runs near the best known."""
    place = int(np.searchsorted(THRESHOLDS, _NEAR))
    found = {agent: curve.value[place] for agent, curve in comparison.profiles.items()}
    if not found:
        return ""
    best = max(found, key=lambda agent: found[agent])
    return (
        f"within 5 % of the best known: {found[best]:.0%} of the runs of {quoted(best)}, the most"
    )


def of_anytime(comparison: Comparison) -> str:
    """The best agent after a tenth of the evaluations, and at the end."""
    found = comparison.anytime["evaluations"]
    if not found.curves:
        return ""
    early = int(np.searchsorted(found.grid, found.grid[-1] / 10))
    first, last = (
        max(found.curves, key=lambda agent: found.curves[agent].value[place])
        for place in (early, -1)
    )
    if first == last:
        return f"{quoted(last)} leads after a tenth of the evaluations and at the end"
    return f"{quoted(first)} leads after a tenth of the evaluations, {quoted(last)} at the end"


def seconds_text(value: float) -> str:
    """Seconds in as many digits as distinguish short searches."""
    return figures.fixed(value, 1 if value >= 10 else 2 if value >= 0.1 else 4)


def of_costs(comparison: Comparison) -> str:
    """The agents with the shortest and the longest searches."""
    found = {a: g.seconds for a, g in comparison.aggregates.items() if g.seconds is not None}
    if not found:
        return ""
    ends = [min(found, key=lambda a: found[a]), max(found, key=lambda a: found[a])]
    texts = [f"{seconds_text(found[agent])} s ({quoted(agent)})" for agent in ends]
    return "a search takes " + " to ".join(dict.fromkeys(texts))


def of_uses(comparison: Comparison) -> str:
    """The greatest load imbalance, and the fullest memory."""
    uses = comparison.uses.values()
    loads = [use.load_imbalance for use in uses if use.load_imbalance is not None]
    shares = [use.memory_share for use in uses if use.memory_share is not None]
    parts = []
    if loads:
        parts.append(f"load imbalance {min(loads):.2f} to {max(loads):.2f}")
    if shares:
        parts.append(f"the fullest memory {max(shares):.0%} full")
    return ", ".join(parts)


def of_training(comparison: Comparison) -> str:
    """The agents that learn."""
    agents = dict.fromkeys(agent for found in comparison.learning for agent in found.curves)
    return f"updates of {named(list(agents))}"


def of_robustness(comparison: Comparison) -> str:
    """In how many perturbations the ranking holds."""
    robustness = comparison.robustness
    if robustness is None:
        return ""
    return f"the first stays first in {robustness.first_kept} of {len(robustness.worlds)} worlds"


def of_conditions(comparison: Comparison) -> str:
    """The size of the matrix, and the budget if it is one."""
    matrix, whole = comparison.matrix, comparison.aggregates.values()
    runs, failed, missing = (
        sum(getattr(a, name) for a in whole) for name in ("runs", "failed", "missing")
    )
    budgets = {budget_text(run) for agent in matrix.agents for run in matrix.runs_of(agent)}
    parts = [_count(len(matrix.workloads), "workload"), _count(len(matrix.agents), "agent"),
             _count(runs, "run")]  # fmt: skip
    parts += [f"{failed} failed"] if failed else []
    parts += [f"{missing} missing"] if missing else []
    parts += [f"budget of a run: {budgets.pop()}"] if len(budgets) == 1 else ["several budgets"]
    return ", ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
