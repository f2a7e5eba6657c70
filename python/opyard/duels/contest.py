"""The makespans of two agents on one instance, under equal budgets."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from opyard import _core, search
from opyard.duels.instance import Instance


@dataclass(frozen=True)
class Score:
    """The best plans of both agents on an instance."""

    makespan_s: float
    """Of the agent, in seconds."""
    opponent_makespan_s: float
    placement: list[int]
    opponent_placement: list[int]

    @property
    def ratio(self) -> float:
        """The agent's makespan over its opponent's."""
        return self.makespan_s / self.opponent_makespan_s


@dataclass(frozen=True)
class Contest:
    """Two agents, the evaluations that each of them has, and the seed of both searches."""

    agent: str
    opponent: str
    evaluations: int = 64
    seed: int = 0

    def score(self, instance: Instance) -> Score | None:
        """Searches with both; None unless both complete a plan that takes time.

        Raises:
            InputError: There is no such agent, or it decides neither placement nor order.
        """
        problem = instance.problem()
        own = self._best(problem, self.agent)
        other = own if self.opponent == self.agent else self._best(problem, self.opponent)
        if own is None or other is None:
            return None
        return Score(own[0], other[0], own[1], other[1])

    def _best(self, problem: _core.Problem, agent: str) -> tuple[float, list[int]] | None:
        answer = _core.search(
            _registry_with(agent),
            problem,
            agent=agent,
            evaluations=self.evaluations,
            seed=self.seed,
            threads=1,
        )
        best, plan = answer["best"], answer["plan"]
        if plan is None or not best or best["outcome"] != "completed" or best["makespan_s"] <= 0:
            return None
        return best["makespan_s"], plan.placement


@functools.cache
def _registry_with(agent: str) -> _core.AgentRegistry:
    """Made once: a duel makes thousands of searches."""
    return search.registry_with(agent)
