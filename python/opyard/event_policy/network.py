"""The network: a score for each op that an idle device may start."""

from __future__ import annotations

import dataclasses
import math

import torch
from torch import Tensor, nn

from opyard.event_policy.states import (
    NUM_OP_FEATURES,
    PlacedGraph,
    States,
    ready,
    squash,
    undone,
    unstarted,
)

_CHILD_SCALARS = 7
_CANDIDATE_SCALARS = 7
# The weights that path channels begin with: (time of the op, 1 per op; transfer, 1 per crossing).
_FIRST_CHANNELS = (
    (1.0, 0.0, 0.0, 0.0),  # critical path
    (1.0, 0.0, 1.0, 0.0),  # with transfers
    (0.0, 1.0, 0.0, 0.0),  # ops to the sink (MOPNR)
    (0.0, 0.0, 1.0, 1.0),  # transfers alone
    (1.0, 0.0, 3.0, 1.0),
    (0.3, 1.0, 0.3, 0.3),
)
_ALMOST_NOTHING = 0.01


@dataclasses.dataclass(frozen=True)
class Embedding:
    """What the network computes of a graph once, before any state."""

    paths: Tensor  # [N, channels], multiples of the op time
    shares: Tensor  # [N, channels]: paths ÷ the longest one of the channel
    nodes: Tensor  # [N, hidden]
    left: Tensor  # [N, hidden]: what the op adds to summaries until it starts


class EventPolicy(nn.Module):
    """Scores of ready ops from a graph, its placement and the state of the simulation.

    Path channels are longest paths to a sink with learned weights, one value per channel:

        path(v) = w(v) + max over readers u of (c(v, u) + path(u))

    with w(v) = (a · time(v) + b) · 2 · sigmoid(MLP(op features)) and c(v, u) = c · transfer(v, u) +
    d where devices differ; a, b, c, d >= 0. So they hold what list schedulers go by: the critical
    path with and without transfers, and the number of ops to a sink, where they begin.

    A candidate's score is an MLP of its path channels, as they are and beside the other
    candidates', its embedding, messages of its readers (what else they wait for, how busy their
    devices are), the summary of unstarted ops on its device and that of all.
    """

    def __init__(self, hidden: int = 16) -> None:
        """Makes a network with random weights, of PyTorch's generator."""
        super().__init__()
        channels = len(_FIRST_CHANNELS)
        first = torch.tensor(_FIRST_CHANNELS).clamp(min=_ALMOST_NOTHING)
        self.path_weights = nn.Parameter(torch.log(torch.expm1(first)))  # before softplus
        self.path_factors = _mlp(NUM_OP_FEATURES, hidden, channels)
        self.nodes = _mlp(NUM_OP_FEATURES + channels, hidden, hidden)
        self.left = _mlp(NUM_OP_FEATURES + channels, hidden, hidden)
        self.child = _mlp(channels + _CHILD_SCALARS, hidden, hidden)
        self.score = nn.Sequential(
            nn.Linear(3 * channels + 5 * hidden + _CANDIDATE_SCALARS, 3 * hidden),
            nn.LeakyReLU(),
            nn.Linear(3 * hidden, 2 * hidden),
            nn.LeakyReLU(),
            nn.Linear(2 * hidden, 1),
        )
        for last in (self.path_factors[-1], self.score[-1]):
            nn.init.zeros_(last.bias)
            nn.init.normal_(last.weight, std=_ALMOST_NOTHING)

    def embed(self, graph: PlacedGraph) -> Embedding:
        """The embedding of a graph whose ops have devices."""
        paths = self._paths(graph)
        shares = paths / paths.amax(0).clamp(min=1e-6)
        seen = torch.cat([graph.ops, shares], 1)
        return Embedding(paths, shares, self.nodes(seen), self.left(seen) / graph.num_ops)

    def forward(self, graph: PlacedGraph, embedding: Embedding, states: States) -> Tensor:
        """Log-probabilities of the ops: [S, N], -inf where an op may not start."""
        row, op = states.legal.nonzero(as_tuple=True)  # [P] each: the candidates
        busy = _busyness(graph, states)  # [S, D, 3]
        scores = self.score(
            torch.cat(
                [
                    embedding.shares[op],
                    *_beside_others(embedding.paths[op], row, len(states.legal)),
                    embedding.nodes[op],
                    self._messages(graph, embedding, states, busy, row, op),
                    self._summaries(graph, embedding, states, row, op),
                    _candidate_scalars(graph, states, busy, row, op),
                ],
                1,
            )
        ).squeeze(1)
        logits = scores.new_full(states.legal.shape, -math.inf).index_put((row, op), scores)
        return logits.log_softmax(1)

    def _paths(self, graph: PlacedGraph) -> Tensor:
        """Path channels: [N, channels]."""
        weights = nn.functional.softplus(self.path_weights)
        per_op = torch.stack([graph.time, torch.ones_like(graph.time)], 1)
        per_edge = torch.stack([graph.transfer, graph.crosses], 1)
        path = per_op @ weights[:, :2].T * 2 * torch.sigmoid(self.path_factors(graph.ops))
        edge = per_edge @ weights[:, 2:].T  # [E, channels]
        for ops, edges, place in graph.levels:
            beyond = edge[edges] + path[graph.target[edges]]
            longest = _greatest(beyond, place, len(ops))
            path = path.index_add(0, ops, longest)
        return path

    def _messages(
        self,
        graph: PlacedGraph,
        embedding: Embedding,
        states: States,
        busy: Tensor,
        row: Tensor,
        op: Tensor,
    ) -> Tensor:
        """Messages of the readers of candidates, summed and the greatest: [P, 2 · hidden]."""
        count = graph.num_readers[op]
        place = torch.repeat_interleave(torch.arange(len(op)), count)  # [Q]: candidate of an edge
        within = torch.arange(len(place)) - (count.cumsum(0) - count)[place]
        edge = graph.first_edge[op][place] + within
        reader, state = graph.target[edge], row[place]
        waits = torch.zeros_like(states.current, dtype=states.load.dtype)
        waits = waits.index_add(1, graph.target, undone(states)[:, graph.source])  # [S, N]
        others = waits[state, reader] - 1
        scalars = torch.stack(
            [
                1 / (1 + others),
                (others == 0).to(others.dtype),
                graph.crosses[edge],
                squash(graph.transfer[edge]),
            ],
            1,
        )
        device = graph.device[reader]
        seen = torch.cat([embedding.shares[reader], scalars, busy[state, device]], 1)
        messages = torch.relu(self.child(seen))  # [Q, hidden]
        total = messages.new_zeros(len(op), messages.shape[1]).index_add(0, place, messages)
        return torch.cat([total, _greatest(messages, place, len(op)).clamp(min=0)], 1)

    def _summaries(
        self, graph: PlacedGraph, embedding: Embedding, states: States, row: Tensor, op: Tensor
    ) -> Tensor:
        """Summaries of unstarted ops, on the candidate's device and of all: [P, 2 · hidden]."""
        num_devices, hidden = graph.on_device.shape[1], embedding.left.shape[1]
        by_device = graph.on_device[:, :, None] * embedding.left[:, None]  # [N, D, hidden]
        summed = unstarted(states) @ by_device.flatten(1)
        per_device = summed.view(-1, num_devices, hidden)
        return torch.cat([per_device[row, graph.device[op]], per_device.sum(1)[row]], 1)


def _mlp(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, hidden), nn.LeakyReLU(), nn.Linear(hidden, outputs))


def _greatest(values: Tensor, place: Tensor, count: int) -> Tensor:
    """The greatest of `values` at each place: [count, columns]; -inf where there is none."""
    index = place[:, None].expand_as(values)
    return values.new_full((count, values.shape[1]), -math.inf).scatter_reduce(
        0, index, values, "amax"
    )


def _beside_others(paths: Tensor, row: Tensor, num_states: int) -> tuple[Tensor, Tensor]:
    """How far candidates' paths are behind the longest one of their state: [P, channels] each.

    The first is a share of the difference between longest and shortest, the second is squashed.
    """
    longest = _greatest(paths, row, num_states)[row]
    shortest = -_greatest(-paths, row, num_states)[row]
    behind = longest - paths
    return behind / (longest - shortest).clamp(min=1e-6), behind / (1 + behind)


def _busyness(graph: PlacedGraph, states: States) -> Tensor:
    """Of each device: running op, how few ops are ready, share of unstarted work: [S, D, 3]."""
    work = graph.on_device * graph.time[:, None]
    left = unstarted(states) @ work / work.sum(0).amax().clamp(min=1e-6)
    return torch.stack([states.load, 1 / (1 + ready(states) @ graph.on_device), left], 2)


def _candidate_scalars(
    graph: PlacedGraph, states: States, busy: Tensor, row: Tensor, op: Tensor
) -> Tensor:
    """[P, _CANDIDATE_SCALARS]."""
    time = graph.time[op]
    longest = _greatest(time[:, None], row, len(states.legal))[row, 0]
    most_left = busy[:, :, 2].amax(1)
    scalars = [time / longest.clamp(min=1e-6), squash(time), most_left[row]]
    device = busy[row, graph.device[op], 1:]
    return torch.cat([torch.stack(scalars, 1), device, states.progress[row]], 1)
