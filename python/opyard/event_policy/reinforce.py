"""REINFORCE with baselines of other episodes of the same input (Decima, section 5.3)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from opyard.event_policy.episodes import Episodes
from opyard.event_policy.network import EventPolicy

_TYPICAL_SPREAD = 0.05  # of the costs of one input, relative to their mean


def advantages(episodes: Episodes) -> np.ndarray:
    """The advantage of each step: how much less its lane costs from there on than others: [R].

    The baseline of a step is the mean, over the other lanes, of their cost to go once as many ops
    have started; between their steps it is interpolated.
    """
    num_lanes = len(episodes.cost)
    to_go = episodes.cost[episodes.lanes] - episodes.cost_so_far
    total = np.zeros_like(to_go)
    for lane in range(num_lanes):
        own = episodes.lanes == lane
        theirs = np.interp(episodes.started, episodes.started[own], to_go[own])
        total += np.where(own, 0.0, theirs)
    return total / (num_lanes - 1) - to_go


def log_probabilities(policy: EventPolicy, episodes: Episodes) -> tuple[Tensor, Tensor]:
    """Log-probability of each action, and entropy of its distribution in nats: [R] each."""
    graph = episodes.graph
    scores = policy(graph, policy.embed(graph), episodes.states)
    chosen = scores.gather(1, torch.from_numpy(episodes.actions)[:, None]).squeeze(1)
    finite = scores.masked_fill(~episodes.states.legal, 0.0)
    return chosen, -(finite.exp() * finite * episodes.states.legal).sum(1)


def loss_of(policy: EventPolicy, episodes: Episodes, *, entropy_bonus: float) -> Tensor:
    """The loss whose gradient is that of REINFORCE on the logarithm of the cost.

    Advantages are divided by the mean cost, so that a per cent counts the same on every input, and
    by a constant, which makes most of them about 1.
    """
    advantage = advantages(episodes) / (episodes.cost.mean() * _TYPICAL_SPREAD)
    chosen, entropy = log_probabilities(policy, episodes)
    return -(torch.from_numpy(advantage).float() * chosen).mean() - entropy_bonus * entropy.mean()
