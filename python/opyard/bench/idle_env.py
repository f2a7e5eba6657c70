"""The environment that does nothing, which single environments are compared with."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

# The arrays of an observation that a policy over graphs reads: most of its bytes.
ARRAYS = ("x", "edge_index", "edge_x", "plan", "action_mask")


class IdleEnv(gymnasium.Env):
    """Returns fresh copies of five arrays at each step, as gymnasium wants it, and does nothing."""

    def __init__(self, observation: dict[str, np.ndarray], space: spaces.Dict, length: int) -> None:
        """Makes the environment.

        Args:
            observation: An observation that has ARRAYS.
            space: The space of that observation.
            length: Steps of an episode.
        """
        self._arrays = {name: observation[name] for name in ARRAYS}
        self._length = length
        self._step = 0
        self.observation_space = spaces.Dict({name: space[name] for name in ARRAYS})
        self.action_space = spaces.Discrete(len(observation["action_mask"]))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begins an episode."""
        super().reset(seed=seed)
        self._step = 0
        return {name: array.copy() for name, array in self._arrays.items()}, {}

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Counts the step."""
        self._step += 1
        seen = {name: array.copy() for name, array in self._arrays.items()}
        return seen, 0.0, self._step == self._length, False, {}
