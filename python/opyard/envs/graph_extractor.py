"""A features extractor of Stable-Baselines3 that passes messages along the graph."""

from __future__ import annotations

from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor

from opyard.envs.graph_network import GraphNetwork


class GraphExtractor(BaseFeaturesExtractor):
    """A `GraphNetwork` for `MultiInputPolicy` over the `dict` observations of the environments.

        from opyard.envs.graph_extractor import GraphExtractor
        model = MaskablePPO(
            "MultiInputPolicy",
            env,
            policy_kwargs={
                "features_extractor_class": GraphExtractor,
                "features_extractor_kwargs": {"hidden": 32},
            },
        )

    The layers of the policy take the features of all devices together: what it learns is for
    machines with as many devices, but for graphs of any shape that have room in the observation.
    """

    def __init__(
        self,
        observation_space: spaces.Dict,
        hidden: int = 64,
        device_features: int = 16,
        rounds: int = 2,
    ) -> None:
        """Makes the extractor; the arguments are those of `GraphNetwork`.

        Raises:
            ValueError: The space is not that of a dict observation.
        """
        network = GraphNetwork(
            observation_space, hidden=hidden, device_features=device_features, rounds=rounds
        )
        super().__init__(observation_space, network.features_dim)
        self.network = network

    def forward(self, observations: dict[str, Tensor]) -> Tensor:
        """[batch, features_dim] of the observations that Stable-Baselines3 has preprocessed."""
        return self.network(observations)
