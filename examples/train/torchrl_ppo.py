"""Masked PPO of torchrl that places ops one by one, with the message-passing network of opyard.

    python examples/train/torchrl_ppo.py --graph "random:fork_join?n=12&seed=1" --total-steps 12288

Needs torchrl and tensordict, of versions that belong together: 0.14.1 and 0.14.3.
"""

from __future__ import annotations

import argparse

import gymnasium
import numpy as np
import opyard  # noqa: F401 (registers the environments)
import torch
from opyard.envs.graph_network import GraphNetwork
from tensordict import TensorDictBase
from tensordict.nn import TensorDictModule
from torch import Tensor, nn
from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, ReplayBuffer, SamplerWithoutReplacement
from torchrl.envs import (
    ActionMask,
    Compose,
    DTypeCastTransform,
    EnvBase,
    GymWrapper,
    TransformedEnv,
)
from torchrl.envs.utils import ExplorationType, set_exploration_type
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE


class Head(nn.Module):
    """Two layers on the features of an observation, given as one array per key."""

    def __init__(self, keys: list[str], network: GraphNetwork, num_outputs: int) -> None:
        """Makes the layers; `keys` are those of the arrays, in order."""
        super().__init__()
        self.keys = keys
        self.network = network
        self.layers = nn.Sequential(
            nn.Linear(network.features_dim, 64), nn.Tanh(), nn.Linear(64, num_outputs)
        )

    def forward(self, *arrays: Tensor) -> Tensor:
        """[..., num_outputs]; torchrl gives any number of leading dimensions."""
        seen = dict(zip(self.keys, arrays, strict=True))
        leading = seen["op_mask"].shape[:-1]
        flat = {key: part.reshape(-1, *part.shape[len(leading) :]) for key, part in seen.items()}
        return self.layers(self.network(flat)).reshape(*leading, -1)


def make_env(arguments: argparse.Namespace) -> EnvBase:
    """The native vector; torchrl begins new episodes itself. The mask becomes booleans."""
    envs = gymnasium.make_vec(
        "opyard/Placement-v0",
        num_envs=arguments.num_envs,
        graph=arguments.graph,
        hardware=arguments.hardware,
        reward="shaped",
        autoreset_mode="disabled",
        threads=1,
    )
    to_bool = DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"])
    env = TransformedEnv(
        GymWrapper(envs, categorical_action_encoding=True), Compose(to_bool, ActionMask())
    )
    env.set_seed(arguments.seed)
    return env


def make_modules(env: EnvBase, hidden: int) -> tuple[ProbabilisticActor, ValueOperator]:
    """Actor and critic, over a network each."""
    space = env.single_observation_space
    keys = list(space.keys())
    actor, critic = (
        Head(keys, GraphNetwork(space, hidden=hidden, device_features=8), num_outputs)
        for num_outputs in (env.single_action_space.n, 1)
    )
    policy = ProbabilisticActor(
        TensorDictModule(actor, in_keys=keys, out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        spec=env.action_spec,
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    return policy, ValueOperator(critic, in_keys=keys)


def return_of(rollout: TensorDictBase) -> float:
    """The mean return of the episodes of a rollout that ends with all episodes."""
    return float(rollout["next", "reward"].sum() / rollout["next", "done"].sum())


def returns_of(arguments: argparse.Namespace, policy: ProbabilisticActor | None) -> list[float]:
    """The returns of 96 episodes at least: of the policy's samples, or of random legal actions."""
    env = make_env(arguments)
    returns: list[float] = []
    with torch.no_grad(), set_exploration_type(ExplorationType.RANDOM):
        while len(returns) < 96:
            rollout = env.rollout(
                10_000, policy, break_when_all_done=True, break_when_any_done=False
            )
            before_end = rollout["next", "done"].cumsum(1) - rollout["next", "done"].long() == 0
            returns += (rollout["next", "reward"] * before_end).sum((1, 2)).tolist()
    return returns


def train(arguments: argparse.Namespace) -> ProbabilisticActor:
    """Trains a policy; prints a line after each rollout."""
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(1)
    env = make_env(arguments)
    policy, critic = make_modules(env, arguments.hidden)
    advantage = GAE(
        gamma=1.0, lmbda=0.95, value_network=critic, average_gae=True, deactivate_vmap=True
    )
    loss = ClipPPOLoss(policy, critic, entropy_coeff=0.01, critic_coeff=0.5)
    optimizer = torch.optim.Adam(loss.parameters(), lr=arguments.learning_rate)
    size = arguments.num_envs * arguments.num_steps
    buffer = ReplayBuffer(
        storage=LazyTensorStorage(size),
        sampler=SamplerWithoutReplacement(),
        batch_size=size // arguments.num_minibatches,
    )
    total = arguments.total_steps // size * size
    collector = Collector(
        env,
        policy,
        frames_per_batch=size,
        total_frames=total,
        auto_register_policy_transforms=False,
    )
    for i, rollout in enumerate(collector):
        for _ in range(arguments.num_epochs):
            with torch.no_grad():
                advantage(rollout)
            buffer.extend(rollout.reshape(-1))
            for minibatch in buffer:
                losses = loss(minibatch)
                optimizer.zero_grad()
                sum(value for key, value in losses.items() if key.startswith("loss_")).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
        print(f"step {(i + 1) * size} return {return_of(rollout):.4f}", flush=True)
    collector.shutdown()
    return policy


def parse(words: list[str] | None = None) -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--graph", default="random:fork_join?n=12&seed=1")
    parser.add_argument("--hardware", default="p100x4-pcie")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--total-steps", type=int, default=12288)
    parser.add_argument("--num-envs", type=int, default=16)
    parser.add_argument("--num-steps", type=int, default=48, help="steps of each copy in a rollout")
    parser.add_argument("--num-epochs", type=int, default=4)
    parser.add_argument("--num-minibatches", type=int, default=4)
    parser.add_argument("--learning-rate", type=float, default=2e-3)
    parser.add_argument("--hidden", type=int, default=32)
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> None:
    """Trains, and compares the trained policy with random legal actions."""
    arguments = parse(words)
    policy = train(arguments)
    for name, player in (("random", None), ("trained", policy)):
        returns = np.array(returns_of(arguments, player))
        interval = 1.985 * returns.std(ddof=1) / len(returns) ** 0.5  # Student's t, 95 of freedom
        print(f"{name}: mean return {returns.mean():.4f} ± {interval:.4f} (95 %)")


if __name__ == "__main__":
    main()
