r"""An agent in thirty lines: it moves groups of ops at random and keeps what is no worse.

opyard place --graph inception_v3 --hardware p100x2-pcie --param moves=2 \
  --agent examples/python_agent/hill_climb.py:HillClimb
"""

import random
from typing import Annotated

import opyard


class HillClimb:
    """Moves random groups to random devices, and keeps the plan if it is no worse."""

    tasks = ("placement",)

    def __init__(self, moves: Annotated[int, "how many groups move at once", (1, 100)] = 1) -> None:
        self.moves = moves

    def search(
        self, problem: opyard.Problem, evaluator: opyard.python_agents.RemoteEvaluator, seed: int
    ) -> None:
        """Tries plans until the budget is spent."""
        rng = random.Random(seed)
        allowed = [row.nonzero()[0].tolist() for row in problem.arrays()["allowed"]]
        groups = problem.group_of_op
        choice = dict(zip(groups, problem.plan().placement, strict=True))
        best_choice, best_score = choice, float("inf")
        while not evaluator.is_done:
            for found in evaluator.evaluate([problem.plan([choice[group] for group in groups])]):
                if found["score"] <= best_score:
                    best_choice, best_score = choice, found["score"]
            choice = dict(best_choice)
            for group in rng.choices(range(len(allowed)), k=self.moves):
                choice[group] = rng.choice(allowed[group])
