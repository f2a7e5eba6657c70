"""PPO (Schulman et al. 2017) that places ops one by one, in one file, in the manner of CleanRL.

    python examples/train/ppo_placement.py --graph "random:fork_join?n=12&seed=1" --seed 1
    python examples/train/ppo_placement.py --help

The environments are a native vector of gymnasium, the policy a message-passing network in plain
PyTorch that gives each device a score: one set of weights serves any graph and any machine.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import opyard  # noqa: F401 (registers the environments)
import torch
from torch import Tensor, nn
from torch.distributions import Categorical


@dataclasses.dataclass
class Settings:
    """Options of the command line, by their names, with their defaults."""

    env_id: str = "opyard/Placement-v0"
    graph: tuple[str, ...] = ("random:fork_join?n=12&seed=1",)
    hardware: tuple[str, ...] = ("p100x4-pcie",)
    reward: str = "shaped"
    seed: int = 0
    total_steps: int = 12288
    num_envs: int = 16
    num_steps: int = 48  # steps of each environment in a rollout
    num_epochs: int = 4
    num_minibatches: int = 4
    learning_rate: float = 2e-3  # falls to 0
    gamma: float = 1.0
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    entropy_coefficient: float = 0.01
    value_coefficient: float = 0.5
    max_grad_norm: float = 0.5
    hidden: int = 32
    rounds: int = 2
    threads: int = 1  # threads of PyTorch, and of the vector
    tensorboard: str = ""  # folder of the events; none by default
    save: str = ""  # file of the weights; none by default


class Policy(nn.Module):
    """Messages along the edges; then a score for each device, and a value of the state.

    Observations are padded: x [batch, ops, features], edge_index [batch, 2, edges], and masks.
    """

    def __init__(self, space: gymnasium.spaces.Dict, hidden: int, rounds: int) -> None:
        """Makes the layers; `space` is that of one environment, `obs="dict"`."""
        super().__init__()
        num_edge_features = space["edge_x"].shape[-1]
        num_device_features = space["device_x"].shape[-1] + 2
        self.device = nn.Linear(num_device_features, hidden)
        self.op = nn.Linear(space["x"].shape[-1] + 2 + hidden, hidden)
        self.message = nn.ModuleList(
            nn.Linear(2 * hidden + num_edge_features, 2 * hidden) for _ in range(rounds)
        )
        self.update = nn.ModuleList(nn.Linear(3 * hidden, hidden) for _ in range(rounds))
        self.norm = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(rounds))
        self.score = nn.Sequential(nn.Linear(4 * hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1))
        self.value = nn.Sequential(
            nn.Linear(2 * hidden + 2, hidden), nn.Tanh(), nn.Linear(hidden, 1)
        )

    def forward(self, seen: Mapping[str, Tensor]) -> tuple[Categorical, Tensor]:
        """The distribution of actions [batch], masked, and the values [batch]."""
        op_mask = seen["op_mask"].float()[..., None]  # [batch, ops, 1]
        current = seen["current"].float()[..., None]
        device = seen["plan"][:, 0]  # [batch, ops], -1: open
        on = torch.nn.functional.one_hot(device + 1, seen["device_x"].shape[1] + 1)[..., 1:].float()
        load = torch.stack([seen["device_load"], seen["device_memory"]], -1)
        devices = torch.relu(self.device(torch.cat([seen["device_x"], load], -1)))
        known = [seen["x"], current, (device < 0).float()[..., None], on @ devices]
        ops = torch.relu(self.op(torch.cat(known, -1))) * op_mask  # [batch, ops, hidden]
        neighbours = self.adjacent(seen, current)  # [batch, ops, 1]
        for message, update, norm in zip(self.message, self.update, self.norm, strict=True):
            received = self.received(message, ops, seen)
            ops = norm(ops + torch.relu(update(torch.cat([ops, received], -1)))) * op_mask
        decided, graph = mean(ops, current), mean(ops, op_mask)  # [batch, hidden]
        beside = (on * neighbours).transpose(1, 2) @ ops  # [batch, devices, hidden]
        load_of = (on * op_mask).transpose(1, 2) @ ops / op_mask.sum(1, keepdim=True)
        decided_of = decided[:, None].expand_as(devices)
        scores = self.score(torch.cat([decided_of, devices, beside, load_of], -1)).squeeze(-1)
        logits = scores.masked_fill(seen["action_mask"] == 0, torch.finfo(scores.dtype).min)
        value = self.value(torch.cat([decided, graph, seen["progress"]], -1)).squeeze(-1)
        return Categorical(logits=logits), value

    def received(self, message: nn.Linear, ops: Tensor, seen: Mapping[str, Tensor]) -> Tensor:
        """[batch, ops, 2 hidden]: the sums of the messages of predecessors, and of successors."""
        batch, num_ops, hidden = ops.shape
        first = torch.arange(batch)[:, None] * num_ops
        source, target = ((seen["edge_index"][:, end] + first).flatten() for end in (0, 1))
        rows = ops.flatten(0, 1)
        sent = message(torch.cat([rows[source], rows[target], seen["edge_x"].flatten(0, 1)], -1))
        sent = torch.relu(sent) * seen["edge_mask"].flatten()[:, None]
        down, up = sent.split(hidden, -1)
        sums = [
            torch.zeros_like(rows).index_add(0, at, part)
            for at, part in ((target, down), (source, up))
        ]
        return torch.cat(sums, -1).unflatten(0, (batch, num_ops))

    def adjacent(self, seen: Mapping[str, Tensor], current: Tensor) -> Tensor:
        """[batch, ops, 1]: the number of edges between an op and those that the action decides."""
        source, target = seen["edge_index"].unbind(1)
        edges = seen["edge_mask"].float()
        is_current = current.squeeze(-1)
        count = torch.zeros_like(is_current)
        count = count.scatter_add(1, source, is_current.gather(1, target) * edges)
        return count.scatter_add(1, target, is_current.gather(1, source) * edges)[..., None]


def mean(ops: Tensor, mask: Tensor) -> Tensor:
    """[batch, hidden]: the mean over the ops that the mask [batch, ops, 1] names."""
    return (ops * mask).sum(1) / mask.sum(1).clamp(min=1)


def tensors(seen: Mapping[str, np.ndarray]) -> dict[str, Tensor]:
    """A batch of observations as tensors that share their memory."""
    return {key: torch.as_tensor(array) for key, array in seen.items()}


class Rollout:
    """What the environments did in `num_steps` steps: a row per step, a column per environment."""

    def __init__(self, settings: Settings, space: gymnasium.spaces.Dict) -> None:
        """Makes room."""
        shape = (settings.num_steps, settings.num_envs)
        self.seen = {
            key: torch.zeros(shape + part.shape, dtype=torch.as_tensor(part.sample()).dtype)
            for key, part in space.items()
        }
        self.actions = torch.zeros(shape, dtype=torch.int64)
        self.log_probs, self.rewards, self.dones, self.values = torch.zeros(4, *shape).unbind()

    def advantages(self, last_value: Tensor, settings: Settings) -> Tensor:
        """[num_steps, num_envs] by generalised advantage estimation (Schulman et al. 2016)."""
        result = torch.zeros_like(self.rewards)
        advantage, next_value = torch.zeros_like(last_value), last_value
        for step in reversed(range(len(result))):
            goes_on = 1 - self.dones[step]
            delta = self.rewards[step] + settings.gamma * next_value * goes_on - self.values[step]
            advantage = delta + settings.gamma * settings.gae_lambda * goes_on * advantage
            result[step], next_value = advantage, self.values[step]
        return result


def make_vector(settings: Settings) -> gymnasium.vector.VectorEnv:
    """The native vector, whose copies begin the next episode in the step that ends one."""
    return gymnasium.make_vec(
        settings.env_id,
        num_envs=settings.num_envs,
        graph=list(settings.graph),
        hardware=list(settings.hardware),
        reward=settings.reward,
        autoreset_mode="same_step",
        threads=settings.threads,
    )


def collect(
    policy: Policy, envs: gymnasium.vector.VectorEnv, seen: Mapping[str, np.ndarray], into: Rollout
) -> Mapping[str, np.ndarray]:
    """Fills the rollout; the observations that the next one begins with."""
    for step in range(len(into.rewards)):
        for key, array in tensors(seen).items():
            into.seen[key][step] = array
        with torch.no_grad():
            choices, into.values[step] = policy(tensors(seen))
        into.actions[step] = choices.sample()
        into.log_probs[step] = choices.log_prob(into.actions[step])
        seen, rewards, terminated, truncated, _ = envs.step(into.actions[step].numpy())
        into.rewards[step] = torch.as_tensor(rewards)
        into.dones[step] = torch.as_tensor(terminated | truncated)
    return seen


def update(
    policy: Policy,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    last_value: Tensor,
    settings: Settings,
) -> dict[str, float]:
    """The epochs of PPO over one rollout: the means of its losses."""
    advantages = rollout.advantages(last_value, settings)
    flat = {key: part.flatten(0, 1) for key, part in rollout.seen.items()}
    actions, old = rollout.actions.flatten(), rollout.log_probs.flatten()
    targets, advantages = (advantages + rollout.values).flatten(), advantages.flatten()
    losses = []
    for _ in range(settings.num_epochs):
        for rows in torch.randperm(len(actions)).chunk(settings.num_minibatches):
            choices, values = policy({key: part[rows] for key, part in flat.items()})
            ratio = (choices.log_prob(actions[rows]) - old[rows]).exp()
            gain = (advantages[rows] - advantages[rows].mean()) / (advantages[rows].std() + 1e-8)
            clipped = ratio.clamp(1 - settings.clip_range, 1 + settings.clip_range)
            policy_loss = -torch.minimum(ratio * gain, clipped * gain).mean()
            value_loss = 0.5 * (values - targets[rows]).square().mean()
            entropy = choices.entropy().mean()
            loss = policy_loss + settings.value_coefficient * value_loss
            loss = loss - settings.entropy_coefficient * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), settings.max_grad_norm)
            optimizer.step()
            losses.append((policy_loss.item(), value_loss.item(), entropy.item()))
    return dict(zip(("policy_loss", "value_loss", "entropy"), np.mean(losses, 0), strict=True))


def returns_of(settings: Settings, policy: Policy | None, num_episodes: int) -> np.ndarray:
    """The returns of episodes: of the policy's samples, or of random legal actions."""
    env = gymnasium.make(
        settings.env_id,
        graph=list(settings.graph),
        hardware=list(settings.hardware),
        reward=settings.reward,
    ).unwrapped
    torch.manual_seed(settings.seed)
    returns = np.zeros(num_episodes)
    for episode in range(num_episodes):
        seen, _ = env.reset(seed=settings.seed + episode)
        is_over = False
        while not is_over:
            mask = torch.as_tensor(seen["action_mask"])
            choices = Categorical(probs=mask / mask.sum())
            if policy is not None:
                with torch.no_grad():
                    choices, _ = policy({key: part[None] for key, part in tensors(seen).items()})
            seen, reward, is_over, _, _ = env.step(choices.sample().item())
            returns[episode] += reward
    return returns


def train(settings: Settings, writer: Any = None) -> Policy:
    """Trains a policy; prints a line, and writes scalars, after each rollout."""
    torch.manual_seed(settings.seed)
    torch.set_num_threads(settings.threads)
    envs = make_vector(settings)
    policy = Policy(envs.single_observation_space, settings.hidden, settings.rounds)
    optimizer = torch.optim.Adam(policy.parameters(), lr=settings.learning_rate, eps=1e-5)
    rollout = Rollout(settings, envs.single_observation_space)
    size = rollout.actions.numel()
    num_updates = max(settings.total_steps // size, 1)
    start = time.perf_counter()
    seen, _ = envs.reset(seed=settings.seed)
    for i in range(num_updates):
        optimizer.param_groups[0]["lr"] = settings.learning_rate * (1 - i / num_updates)
        seen = collect(policy, envs, seen, rollout)
        with torch.no_grad():
            _, last_value = policy(tensors(seen))
        scalars = update(policy, optimizer, rollout, last_value, settings)
        steps = (i + 1) * size
        # Each episode ends with a done: rewards by episodes is the mean return.
        scalars["return"] = float(rollout.rewards.sum() / rollout.dones.sum().clamp(min=1))
        scalars["steps_per_second"] = steps / (time.perf_counter() - start)
        print(
            f"step {steps}", *(f"{key} {value:.4g}" for key, value in scalars.items()), flush=True
        )
        for key, value in scalars.items() if writer is not None else ():
            writer.add_scalar(key, value, steps)
    return policy


def parse(words: list[str] | None = None) -> Settings:
    """The settings that the command line gives."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for field in dataclasses.fields(Settings):
        many = {"nargs": "+"} if isinstance(field.default, tuple) else {}
        kind = str if many else type(field.default)
        parser.add_argument(
            f"--{field.name.replace('_', '-')}", type=kind, default=field.default, **many
        )
    return Settings(**vars(parser.parse_args(words)))


def main(words: list[str] | None = None) -> None:
    """Trains, and compares the trained policy with random legal actions."""
    settings = parse(words)
    writer = None
    if settings.tensorboard:
        from torch.utils.tensorboard import SummaryWriter  # needs the package tensorboard

        writer = SummaryWriter(settings.tensorboard)
    policy = train(settings, writer)
    if settings.save:
        torch.save(policy.state_dict(), Path(settings.save))
    for name, player in (("random", None), ("trained", policy)):
        returns = returns_of(settings, player, 100)
        interval = 1.984 * returns.std(ddof=1) / 10  # Student's t, 99 degrees of freedom
        print(f"{name}: mean return {returns.mean():.4f} ± {interval:.4f} (95 %, 100 episodes)")


if __name__ == "__main__":
    main()
