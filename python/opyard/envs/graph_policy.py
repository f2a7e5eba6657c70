"""Policies of Stable-Baselines3 that score each device by the same weights."""

from __future__ import annotations

from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.policies import MultiInputActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from opyard.envs.graph_extractor import GraphExtractor
from opyard.envs.graph_network import GraphNetwork


class DeviceScores(nn.Module):
    """A score for each device, of its features and those that all devices share."""

    def __init__(self, network: GraphNetwork) -> None:
        """Makes the layers for the features of `network`, of which those of devices stand last."""
        super().__init__()
        self.num_devices = network.num_devices
        self.of_devices = network.num_devices * network.device_features
        of_one = network.features_dim - self.of_devices + network.device_features
        self.layers = nn.Sequential(nn.Linear(of_one, 64), nn.Tanh(), nn.Linear(64, 1))
        nn.init.orthogonal_(self.layers[-1].weight, 0.01)  # nearly equal probabilities at first

    def forward(self, features: Tensor) -> Tensor:
        """[batch, devices] logits of [batch, features_dim]."""
        shared, devices = features.tensor_split([-self.of_devices], 1)
        devices = devices.unflatten(1, (self.num_devices, -1))
        shared = shared[:, None].expand(-1, self.num_devices, -1)
        return self.layers(torch.cat([shared, devices], -1)).squeeze(-1)


class _ScoresDevices:
    """The changes to policies of Stable-Baselines3: extractor, layers, scores of actions."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Takes the arguments of `MultiInputPolicy`.

        Raises:
            ValueError: Actions are not one device each, or `net_arch` puts layers before scores.
        """
        ours = {"net_arch": {"pi": [], "vf": [64]}, "features_extractor_class": GraphExtractor}
        super().__init__(*args, **(ours | kwargs))

    def _build(self, lr_schedule: Schedule) -> None:
        super()._build(lr_schedule)
        network = self.pi_features_extractor.network
        if self.action_space != spaces.Discrete(network.num_devices):
            raise ValueError(
                f"action_space: found {self.action_space}, expected Discrete("
                f"{network.num_devices}), one device per action; MultiInputPolicy with a "
                "GraphExtractor takes any"
            )
        if self.net_arch["pi"]:
            raise ValueError(f"net_arch: found pi {self.net_arch['pi']}, expected pi []")
        self.action_net = DeviceScores(network)
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )


class GraphPolicy(_ScoresDevices, MultiInputActorCriticPolicy):
    """For PPO and A2C over `Placement` or `Improve` whose only task is placement.

        from opyard.envs.graph_policy import GraphPolicy
        model = PPO(GraphPolicy, env, policy_kwargs={"features_extractor_kwargs": {"hidden": 32}})

    Equal devices in equal states have equal probabilities, so that it needs fewer episodes than a
    `MultiInputPolicy`, which learns each device by itself.
    """


class MaskableGraphPolicy(_ScoresDevices, MaskableMultiInputActorCriticPolicy):
    """The same for MaskablePPO."""
