"""Native vectors as vectors of Stable-Baselines3, which takes none of gymnasium's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from opyard.envs.vector import StepVectorEnv


class Sb3VecEnv(VecEnv):
    """A `StepVectorEnv` under `same_step` as a `VecEnv`; masks are asked for all at once.

        from opyard.envs.sb3 import make_sb3_vec
        model = MaskablePPO("MultiInputPolicy", make_sb3_vec("opyard/Placement-v0", num_envs=64))

    `infos` has a dict per copy, with `terminal_observation` where an episode ended, and
    `TimeLimit.truncated`. Attributes and methods of single copies are not there, but
    `action_masks`; `seed` counts from the next `reset` on.
    """

    def __init__(self, envs: StepVectorEnv) -> None:
        """Wraps the vector.

        Raises:
            ValueError: The vector begins episodes in another way than `same_step`.
        """
        mode = envs.metadata["autoreset_mode"]
        if mode != gymnasium.vector.AutoresetMode.SAME_STEP:
            raise ValueError(f"autoreset_mode: found {mode.name.lower()}, expected same_step")
        self._envs = envs
        self.render_mode = envs.render_mode
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> dict[str, np.ndarray]:
        """Begins episodes in all copies: their observations."""
        seeds = self._seeds if any(seed is not None for seed in self._seeds) else None
        seen, _ = self._envs.reset(seed=seeds)
        self._reset_seeds()
        return seen

    def step_async(self, actions: np.ndarray) -> None:
        """Keeps the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, list[dict]]:
        """Steps all copies: (observations, rewards, dones, infos)."""
        seen, rewards, terminated, truncated, info = self._envs.step(self._actions)
        keys = [key for key in info if not key.startswith(("_", "final_", "action_mask"))]
        infos = [{key: info[key][i] for key in keys} for i in range(self.num_envs)]
        dones = terminated | truncated
        for i in np.flatnonzero(dones):
            infos[i]["terminal_observation"] = info["final_obs"][i]
            infos[i]["TimeLimit.truncated"] = bool(truncated[i])
        return seen, rewards.astype(np.float32), dones, infos

    def close(self) -> None:
        """Nothing is left open."""

    def get_images(self) -> Sequence[np.ndarray | None]:
        """A picture per copy, which `render` tiles; None in another mode than "rgb_array"."""
        frames = self._envs.render() if self.render_mode == "rgb_array" else None
        return frames or [None] * self.num_envs

    def has_attr(self, attr_name: str) -> bool:
        """True for `action_masks` and `render_mode` alone."""
        return attr_name in ("action_masks", "render_mode")

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """`render_mode` of the copies.

        Raises:
            AttributeError: Another name.
        """
        if attr_name != "render_mode":
            raise AttributeError(f"copies of a native vector have no attribute {attr_name!r}")
        return [self.render_mode] * len(self._at(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Copies have no attributes.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(f"copies of a native vector have no attribute {attr_name!r}")

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """`action_masks` of the copies.

        Raises:
            AttributeError: Another name.
        """
        if method_name != "action_masks":
            raise AttributeError(f"copies of a native vector have no method {method_name!r}")
        return list(self._envs.action_masks()[self._at(indices)])

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """False: copies are not wrapped."""
        return [False] * len(self._at(indices))

    def _at(self, indices: int | Iterable[int] | None) -> Sequence[int]:
        """The indices as a list; all of them for None."""
        return list(self._get_indices(indices))


def make_sb3_vec(env_id: str, num_envs: int, **keywords: Any) -> Sb3VecEnv:
    """A vector of `num_envs` copies for Stable-Baselines3; keywords as of `gymnasium.make_vec`."""
    envs = gymnasium.make_vec(
        env_id, num_envs=num_envs, autoreset_mode="same_step", vectorization_mode=None, **keywords
    )
    return Sb3VecEnv(envs)
