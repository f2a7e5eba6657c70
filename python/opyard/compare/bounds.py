"""Proven lower bounds of workloads: of the problem, of tables of optima, and of agents."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

_ROUNDING = 1e-13  # relative; whole picoseconds are further apart in steps of up to 10 s


@dataclasses.dataclass(frozen=True)
class Bound:
    """A value that no plan of a workload is below."""

    value: float  # in the units of the objective
    source: str  # "problem", "best known", "proven optimum", or the label of an agent

    def is_reached_by(self, value: float) -> bool:
        """Whether a plan of that value is proven to be optimal."""
        return value <= self.value * (1 + _ROUNDING)

    def gap_of(self, value: float) -> float:
        """1 - bound / value: 0 for an optimum, near 1 for a value far above the bound."""
        return 0.0 if self.is_reached_by(value) else 1 - self.value / value


def greatest_bound(bounds: Iterable[Bound], best: float) -> Bound | None:
    """The greatest bound that `best` does not refute; of equal ones, the first.

    A bound may be of fewer plans than the best one is from: mode `plans` of the agent `cp_sat`
    bounds plans of priorities, and a plan with sequences may be better than all of those.

    Args:
        bounds: Bounds of one workload.
        best: The value of the best plan that is known of it.
    """
    held = [bound for bound in bounds if bound.value <= best * (1 + _ROUNDING)]
    return max(held, key=lambda bound: bound.value, default=None)
