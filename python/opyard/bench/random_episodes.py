"""Random legal actions of whole episodes, made before anything is timed."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from opyard import _core
from opyard.envs import PlacementEnv


@dataclasses.dataclass(frozen=True)
class RandomEpisodes:
    """The steps of the episodes of `Placement` and of `Improve` on one problem.

    Attributes:
        choices: The legal devices of each step.
        ops: The ops that each step places.
        default: [num_ops]: the device of each op at the beginning of `Improve`.
    """

    choices: list[np.ndarray]
    ops: list[np.ndarray]
    default: np.ndarray

    @classmethod
    def of(cls, graph: Any, hardware: Any) -> RandomEpisodes:
        """Those of a problem; plays one episode."""
        env = PlacementEnv(graph, hardware)
        seen, _ = env.reset(seed=0)
        default = np.array(env.plan.placement)
        choices, ops = [], []
        is_over = False
        while not is_over:
            choices.append(np.flatnonzero(seen["action_mask"]))
            ops.append(np.flatnonzero(seen["current"]))
            seen, _, is_over, _, _ = env.step(int(choices[-1][0]))
        return cls(choices, ops, default)

    def actions(self, count: int, seed: int) -> np.ndarray:
        """The actions of `count` episodes: [steps, count] int64."""
        rng = np.random.default_rng(seed)
        return np.array([rng.choice(legal, count) for legal in self.choices])

    def placements(self, actions: np.ndarray) -> np.ndarray:
        """The plans at the ends of episodes: [count, num_ops] int64."""
        return self.improvements(actions)[-1]

    def improvements(self, actions: np.ndarray) -> np.ndarray:
        """The plans after each step of `Improve`: [steps, count, num_ops] int64."""
        plans = np.tile(self.default, (*actions.shape, 1))
        for step, ops in enumerate(self.ops):
            plans[step:, :, ops] = actions[step][None, :, None]
        return plans


def plans_of(problem: _core.Problem, placements: np.ndarray) -> list[_core.Plan]:
    """The plans with these placements, [..., num_ops]; the rest is the problem's default."""
    return [problem.plan(row) for row in placements.reshape(-1, placements.shape[-1]).tolist()]
