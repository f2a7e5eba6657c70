"""Vectors of environments, stepped by threads of C++ into one buffer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from opyard import _core
from opyard.envs import render
from opyard.envs.common import NO_PLAN, caption_of, check_choice, choice_of, open_ops
from opyard.envs.list_schedule_env import ListScheduleEnv
from opyard.envs.one_shot import OneShotEnv
from opyard.envs.step_env import ImproveEnv, PlacementEnv, StepEnv

_MODES = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.DISABLED: "disabled",
}


class StepVectorEnv(gymnasium.vector.VectorEnv):
    """Many copies of an environment; they share their problems.

    Made by `gymnasium.make_vec("opyard/Placement-v0", num_envs=64, ...)`, whose further keywords
    are those of the environment and:

        autoreset_mode: When a new episode begins: `AutoresetMode.NEXT_STEP` (the default, but for
            `OneShot`, where it would waste every other step), `SAME_STEP` or `DISABLED`, or its
            name in lower case.
        threads: Threads that step; 0 (default): one per core. The results do not depend on it.
        copy: False gives views of buffers that change with the next step.
        max_episode_steps: Episodes are truncated after so many steps.

    Observations are those of the environment's `dict` with a first dimension of `num_envs`. `info`
    has an array per key of the environment and, as gymnasium wants it, the mask `_key` of the
    entries that count. Under `SAME_STEP`, `info["final_obs"]` and `info["final_info"]` hold what
    the ended episodes ended with, where `info["_final_obs"]`; the other entries of `info` are of
    the step, too.
    """

    metadata: dict[str, Any]
    # As gymnasium's own vectors have it beside `metadata`; torchrl reads it.
    autoreset_mode: AutoresetMode

    def __init__(
        self,
        env: StepEnv | OneShotEnv,
        *,
        num_envs: int,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 0,
        copy: bool = True,
        max_episode_steps: int | None = None,
    ) -> None:
        """Makes `num_envs` copies of `env`.

        Raises:
            opyard.InputError: An argument is out of range.
        """
        mode = autoreset_mode if isinstance(autoreset_mode, str) else _MODES[autoreset_mode]
        check_choice("autoreset_mode", mode.lower(), tuple(_MODES.values()))
        mode = mode.lower()
        self.autoreset_mode = next(key for key in _MODES if _MODES[key] == mode)
        self.metadata = env.metadata | {"autoreset_mode": self.autoreset_mode}
        self.render_mode = env.render_mode
        self.num_envs = num_envs
        self._graphs, self._machines = env._graphs, env._machines
        self._vector = _core.StepVectorEnv(
            env._env,
            num_envs=num_envs,
            threads=threads,
            autoreset_mode=mode,
            max_episode_steps=max_episode_steps,
        )
        self._mode = mode
        self._takes_plan = isinstance(env, StepEnv)
        self._copies = copy
        self.single_observation_space = env._dict_space()
        self.single_action_space = env.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._observations = self._vector.observations()
        self._is_seeded = False

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begins episodes in all copies, or in those of `options["reset_mask"]`.

        Args:
            seed: Copy i is seeded with `seed + i`, or with `seed[i]`.
            options: As of the environment; `reset_mask`: [num_envs] bool.
        """
        left = dict(options or {})
        mask = left.pop("reset_mask", None)
        choice = choice_of(left, self._graphs, self._machines, takes_plan=self._takes_plan)
        super().reset(seed=seed if isinstance(seed, int) else None)
        chosen = [] if mask is None else [int(flag) for flag in mask]
        self._vector.reset(self._seeds(seed), chosen, **choice)
        return self._observe(), self._info(None if mask is None else np.asarray(mask, bool))

    def step(
        self, actions: Any
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One step of all copies: (observations, rewards, terminated, truncated, info)."""
        self._vector.step(np.asarray(actions))
        terminated = self._vector.terminated.astype(bool)
        truncated = self._vector.truncated.astype(bool)
        info = self._info(None)
        if self._mode == "same_step" and (terminated | truncated).any():
            self._add_final(info, terminated | truncated)
        rewards = self._vector.rewards.copy()
        return self._observe(), rewards, terminated, truncated, info

    def action_masks(self) -> np.ndarray:
        """The legal choices as booleans: [num_envs, sum of choices]."""
        return self._observations["action_mask"].astype(bool)

    def render(self) -> tuple[Any, ...] | None:
        """What `render` of each copy shows; under `SAME_STEP`, of the episode that has begun."""
        if self.render_mode is None:
            return None
        make = render.text if self.render_mode == "ansi" else render.picture
        return tuple(make(self._scene(i)) for i in range(self.num_envs))

    def _scene(self, index: int) -> render.Scene:
        lane = self._vector.lane(index)
        problem, info = lane["problem"], lane["info"]
        is_open = np.zeros(problem.graph.num_ops, bool)
        if "plan" in self._observations:
            is_open = open_ops(problem, self._observations["plan"][index])
        is_undecided = lane["episode_length"] == 1 and info["outcome"] in NO_PLAN
        return render.Scene(
            title=f"{index}: {problem.graph.name} on {problem.hardware.name}",
            caption=caption_of(info, lane["episode_length"], None),
            problem=problem,
            plan=None if is_undecided else lane["plan"],
            is_open=is_open,
            reference_s=info["reference_s"],
        )

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """The seeds of the copies; random ones at first, then none, where no seed is given."""
        if seed is None and self._is_seeded:
            return []
        self._is_seeded = True
        if seed is None:
            seed = int(self.np_random.integers(2**62))
        if isinstance(seed, int | np.integer):
            return [(int(seed) + i) % 2**64 for i in range(self.num_envs)]
        return [None if each is None else int(each) % 2**64 for each in seed]

    def _observe(self) -> dict[str, np.ndarray]:
        if not self._copies:
            return dict(self._observations)
        return {name: array.copy() for name, array in self._observations.items()}

    def _info(self, mask: np.ndarray | None) -> dict[str, Any]:
        """Arrays by key, and the masks of the entries that count."""
        counts = np.ones(self.num_envs, bool) if mask is None else mask
        info = self._vector.info()
        info["action_mask"] = self._observations["action_mask"].copy()
        return info | {f"_{key}": counts for key in info}

    def _add_final(self, info: dict[str, Any], is_over: np.ndarray) -> None:
        """Adds the last observations and infos of the episodes that ended in this step."""
        final = self._vector.final_observations()
        seen = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(is_over):
            seen[i] = {name: array[i].copy() for name, array in final.items()}
        keys = [key for key in info if not key.startswith("_") and key != "action_mask"]
        info["final_obs"] = seen
        info["final_info"] = {key: info[key].copy() for key in keys} | {
            f"_{key}": is_over for key in keys
        }
        info["_final_obs"] = info["_final_info"] = is_over


def _make(
    env_class: type[StepEnv | OneShotEnv],
    num_envs: int,
    keywords: dict[str, Any],
    autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
) -> StepVectorEnv:
    """A vector of an environment; `keywords` are those of both, and come before the default."""
    names = ("threads", "copy", "max_episode_steps")
    own = {name: keywords.pop(name) for name in names if name in keywords}
    own["autoreset_mode"] = keywords.pop("autoreset_mode", autoreset_mode)
    return StepVectorEnv(env_class(**keywords), num_envs=num_envs, **own)


def make_one_shot(num_envs: int = 1, **keywords: Any) -> StepVectorEnv:
    """A vector of `OneShotEnv`; the keywords of `StepVectorEnv` and of the environment."""
    return _make(OneShotEnv, num_envs, keywords, AutoresetMode.SAME_STEP)


def make_placement(num_envs: int = 1, **keywords: Any) -> StepVectorEnv:
    """A vector of `PlacementEnv`; the keywords of `StepVectorEnv` and of the environment."""
    return _make(PlacementEnv, num_envs, keywords)


def make_improve(num_envs: int = 1, **keywords: Any) -> StepVectorEnv:
    """A vector of `ImproveEnv`; the keywords of `StepVectorEnv` and of the environment."""
    return _make(ImproveEnv, num_envs, keywords)


def make_list_schedule(num_envs: int = 1, **keywords: Any) -> StepVectorEnv:
    """A vector of `ListScheduleEnv`; the keywords of `StepVectorEnv` and of the environment."""
    return _make(ListScheduleEnv, num_envs, keywords)
