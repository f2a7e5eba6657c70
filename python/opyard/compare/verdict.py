"""The answer of a comparison in a few sentences."""

from __future__ import annotations

from opyard.compare.comparison import Comparison
from opyard.compare.figures import RATIO
from opyard.compare.statistics import Estimate

_MOST_NAMED = 5


def verdict(comparison: Comparison) -> str:
    """Which agent has the best mean over all workloads, by how much, and how sure that is."""
    total = len(comparison.matrix.workloads)
    means = {
        agent: aggregate.speed_up
        for agent, aggregate in comparison.aggregates.items()
        if aggregate.speed_up is not None and aggregate.speed_up_workloads == total
    }
    if not means:
        return f"No agent compares with {comparison.baseline} on every workload."
    best = max(means, key=lambda agent: means[agent].value)
    where = "the workload" if total == 1 else f"{total} workloads"
    sentences = [f"{best} has the best mean over {where}{_speed_up(comparison, best, means[best])}"]
    sentences += _certainty(means.pop(best), means)
    failed = comparison.aggregates[best].failed
    if failed:
        sentences.append(f"{failed} of its {comparison.aggregates[best].runs} runs failed")
    absent = [a for a in comparison.matrix.agents if a != best and a not in means]
    if absent:
        sentences.append(f"Not on every workload, and so left out: {_listed(absent)}")
    return "".join(f"{sentence}. " for sentence in sentences).rstrip()


def _speed_up(comparison: Comparison, agent: str, estimate: Estimate) -> str:
    if agent == comparison.baseline:
        return ""
    return f": speed-up over {comparison.baseline} {RATIO.estimate(estimate)}"


def _listed(agents: list[str]) -> str:
    """The first few, and how many more."""
    more = len(agents) - _MOST_NAMED
    return ", ".join(agents[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _certainty(best: Estimate, others: dict[str, Estimate]) -> list[str]:
    """The certainty of the best mean by the intervals, as those marked in the tables show it."""
    if not others:
        return []
    if best.low is None:
        return ["It has no interval: another seed may change the order"]
    near = [a for a, other in others.items() if other.high is None or other.high >= best.low]
    if near:
        return [f"The intervals do not separate it from {_listed(near)}"]
    return ["Its interval lies beyond those of all others"]
