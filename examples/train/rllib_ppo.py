"""PPO of RLlib that places ops one by one, with masks, on flat observations.

    python examples/train/rllib_ppo.py

RLlib 2.60.0 demands gymnasium 1.2.2 exactly, so it has an environment of its own, or a folder
(README.md beside this file). It is not in the tests.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from opyard.envs import PlacementEnv
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env


class NamedMask(gymnasium.ObservationWrapper):
    """Observations as RLlib's module for masks wants them: `action_mask` and `observations`."""

    def __init__(self, env: PlacementEnv) -> None:
        """Wraps an environment with `obs="flat"`."""
        super().__init__(env)
        mask = spaces.Box(0.0, 1.0, (env.action_space.n,), np.float32)
        self.observation_space = spaces.Dict(
            {"action_mask": mask, "observations": env.observation_space}
        )

    def observation(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """The flat observation and its mask, both float32."""
        mask = self.env.unwrapped.action_masks().astype(np.float32)
        return {"action_mask": mask, "observations": observation}


def make_env(config: dict[str, Any]) -> NamedMask:
    """The environment, from the `env_config` of RLlib."""
    return NamedMask(PlacementEnv(obs="flat", **config))


def main() -> None:
    """Trains for 16 rollouts, and prints the mean return of the episodes of each."""
    register_env("opyard-placement", make_env)
    problem = {
        "graph": "random:fork_join?n=12&seed=1",
        "hardware": "p100x4-pcie",
        "reward": "shaped",
    }
    layers = {"head_fcnet_hiddens": [64], "fcnet_hiddens": [64]}
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=layers)
    algorithm = (
        PPOConfig()
        .environment("opyard-placement", env_config=problem)
        .env_runners(num_env_runners=0, num_envs_per_env_runner=16)
        .rl_module(rl_module_spec=module)
        .training(
            train_batch_size_per_learner=768,
            minibatch_size=192,
            num_epochs=5,
            lr=1e-3,
            gamma=1.0,
            entropy_coeff=0.01,
        )
        .build_algo()
    )
    for i in range(16):
        found = algorithm.train()["env_runners"]["episode_return_mean"]
        print(f"rollout {i + 1} return {found:.4f}", flush=True)
    algorithm.stop()


if __name__ == "__main__":
    main()
