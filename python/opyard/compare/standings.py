"""The agents of a comparison in the order of their speed-ups."""

from __future__ import annotations

import dataclasses

from opyard.compare.comparison import Comparison
from opyard.compare.statistics import Estimate


@dataclasses.dataclass(frozen=True)
class Standing:
    """One agent against the baseline, over the workloads on which both have a plan."""

    agent: str
    speed_up: Estimate | None  # geometric mean
    ahead: int  # workloads on which its mean is better than the baseline's
    behind: int
    equal: int
    is_complete: bool  # both have a plan on every workload

    @property
    def workloads(self) -> int:
        """On how many workloads both have a plan."""
        return self.ahead + self.behind + self.equal


def standings(comparison: Comparison) -> list[Standing]:
    """The best first: agents that compare on every workload, then the others, then those without.

    Of equal speed-ups that of the baseline stands first, then the order of the matrix counts.
    """
    found = [_standing(comparison, agent) for agent in comparison.matrix.agents]

    def order(standing: Standing) -> tuple[bool, bool, float, bool]:
        estimate = standing.speed_up
        return (
            not standing.is_complete,
            estimate is None,
            -estimate.value if estimate else 0.0,
            standing.agent != comparison.baseline,
        )

    return sorted(found, key=order)


def _standing(comparison: Comparison, agent: str) -> Standing:
    workloads = comparison.matrix.workloads
    estimates = [comparison.summaries.cells[workload, agent].speed_up for workload in workloads]
    values = [estimate.value for estimate in estimates if estimate is not None]
    ahead, behind = sum(value > 1 for value in values), sum(value < 1 for value in values)
    return Standing(
        agent=agent,
        speed_up=comparison.aggregates[agent].speed_up,
        ahead=ahead,
        behind=behind,
        equal=len(values) - ahead - behind,
        is_complete=0 < len(values) == len(workloads),
    )
