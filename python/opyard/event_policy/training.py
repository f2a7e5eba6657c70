"""Training: REINFORCE over sampled problems, which goes on from a checkpoint."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

import opyard
from opyard.event_policy.episodes import make_envs, play
from opyard.event_policy.family import PlacedProblem
from opyard.event_policy.network import EventPolicy
from opyard.event_policy.reinforce import loss_of

SampleProblem = Callable[[np.random.Generator], PlacedProblem]


@dataclasses.dataclass(frozen=True)
class Settings:
    """Hyper-parameters; a checkpoint goes on with its own."""

    updates: int = 700
    problems_per_update: int = 4
    episodes_per_problem: int = 24
    learning_rate: float = 2e-3
    """At the first update; falls linearly to 0."""
    entropy_bonus: float = 0.02
    """Likewise."""
    max_grad_norm: float = 1.0
    seed: int = 0


class Training:
    """A network, its optimiser, and how many updates it has had."""

    def __init__(self, settings: Settings) -> None:
        """Begins with random weights; sets the seed of PyTorch's generator."""
        torch.manual_seed(settings.seed)
        self.settings = settings
        self.updates = 0
        self.policy = EventPolicy()
        self._optimiser = torch.optim.Adam(self.policy.parameters(), settings.learning_rate)

    @property
    def is_done(self) -> bool:
        """Whether all updates are made."""
        return self.updates >= self.settings.updates

    def update(self, sample_problem: SampleProblem) -> float:
        """Makes one update; the mean cost of its episodes, in multiples of T_ref.

        What is sampled depends on the seed and the number of the update alone.
        """
        rng = np.random.default_rng([self.settings.seed, self.updates])
        left = 1 - self.updates / self.settings.updates
        for group in self._optimiser.param_groups:
            group["lr"] = self.settings.learning_rate * left
        self._optimiser.zero_grad()
        costs = []
        for _ in range(self.settings.problems_per_update):
            placed = sample_problem(rng)
            envs = make_envs(placed.problem, placed.plan, self.settings.episodes_per_problem)
            episodes = play(self.policy, envs, rng)
            loss = loss_of(self.policy, episodes, entropy_bonus=self.settings.entropy_bonus * left)
            (loss / self.settings.problems_per_update).backward()
            costs.append(episodes.cost.mean())
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.settings.max_grad_norm)
        self._optimiser.step()
        self.updates += 1
        return float(np.mean(costs))

    def save(self, path: Path) -> None:
        """Writes a checkpoint, at once or not at all."""
        state = {
            "settings": dataclasses.asdict(self.settings),
            "updates": self.updates,
            "policy": self.policy.state_dict(),
            "optimiser": self._optimiser.state_dict(),
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        written = path.with_suffix(".part")
        torch.save(state, written)
        written.replace(path)

    @classmethod
    def from_checkpoint(cls, path: Path) -> Training:
        """Goes on where a checkpoint was written.

        Raises:
            opyard.InputError: It is no checkpoint of this network.
        """
        try:
            state: dict[str, Any] = torch.load(path, weights_only=True)
            training = cls(Settings(**state["settings"]))
            training.policy.load_state_dict(state["policy"])
            training._optimiser.load_state_dict(state["optimiser"])
            training.updates = int(state["updates"])
        except Exception as error:
            raise opyard.InputError(
                f"{path}: no checkpoint of event_policy: {type(error).__name__}: {error}; "
                "remove it to begin anew"
            ) from error
        return training
