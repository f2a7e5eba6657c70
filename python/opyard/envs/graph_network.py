"""A message-passing network over padded observations, in plain PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from gymnasium import spaces
from torch import Tensor, nn

# Size of the vector that stands for the type of an op.
_TYPE_EMBEDDING = 8


class _Rows(NamedTuple):
    """The real ops and edges of a batch, one after the other, without padding."""

    op_at: Tensor  # [n] int64: place of each op in [batch * max_ops]
    graph_of_op: Tensor  # [n] int64: place of its graph in the batch
    edge_at: Tensor  # [m] int64: place of each edge in [batch * max_edges]
    source: Tensor  # [m] int64: the op that each edge leaves, a row below n
    target: Tensor  # [m] int64: the op that it enters


class GraphNetwork(nn.Module):
    """Features of an observation: of the ops that the action decides, the graph, each device.

    Ops send messages along the edges, forward and backward, `rounds` times. The input of an op is
    its features, its type, its levels so far, and the device that it is on. The input of a device
    is its features, the links from the others, the ops on it, and the neighbours on it of the ops
    that the action decides. A set of ops is reduced to its mean. Padding is removed first: more
    room (`max_ops`, `max_edges`) changes nothing, not even the rounding.

    It takes the `dict` observations of the environments as tensors with a first dimension of batch.
    Those of `OneShotEnv` have no choices so far: its features are those of graph and devices.

    Attributes:
        features_dim: Size of the result: `hidden` for the ops decided, `hidden` for the graph, 2
            for the progress, then `device_features` for each device. `OneShotEnv` has no first and
            third part.
        num_devices: Number of devices, padding included.
        device_features: Size of the vector of a device.
    """

    def __init__(
        self,
        observation_space: spaces.Dict,
        *,
        hidden: int = 64,
        device_features: int = 16,
        rounds: int = 2,
    ) -> None:
        """Makes the network.

        Args:
            observation_space: That of an environment with `obs="dict"`.
            hidden: Size of the vector of an op.
            device_features: Size of the vector of a device.
            rounds: How often ops send messages.

        Raises:
            ValueError: The space is not that of a dict observation.
        """
        super().__init__()
        shapes = _shapes_of(observation_space)
        self._has_steps = "plan" in shapes
        self._levels = int(observation_space["plan"].high.max()) + 1 if self._has_steps else 1
        self.num_devices = shapes["device_x"][0]
        self.device_features = device_features
        self.features_dim = hidden + self.num_devices * device_features
        if self._has_steps:
            self.features_dim += hidden + 2
        edge_features = shapes["edge_x"][-1]
        of_device = shapes["device_x"][-1] + 2 * self._has_steps
        of_op = shapes["x"][-1] + _TYPE_EMBEDDING
        if self._has_steps:
            of_op += 4 + device_features
        num_types = int(observation_space["op_type"].high.max()) + 1
        self.op_type = nn.Embedding(num_types, _TYPE_EMBEDDING)
        self.device = nn.Linear(of_device, device_features)
        self.link = nn.Linear(device_features + shapes["pair_x"][-1], device_features)
        self.op = nn.Linear(of_op, hidden)
        self.rounds = nn.ModuleList(_Round(hidden, edge_features) for _ in range(rounds))
        parts = 2 * device_features
        if self._has_steps:
            self.neighbour = nn.Linear(hidden + edge_features, hidden)
            parts += 2 * hidden
        self.device_result = nn.Linear(parts, device_features)

    def forward(self, observation: Mapping[str, Tensor]) -> Tensor:
        """[batch, features_dim] float32 of observations with a first dimension of batch."""
        rows = _rows_of(observation)
        edge_x = observation["edge_x"].float().flatten(0, 1)[rows.edge_at]  # [m, edge features]
        devices = self._devices(observation)  # [batch, devices, device features]
        ops = self._ops(observation, rows, devices)  # [n, hidden]
        for message_round in self.rounds:
            ops = message_round(ops, rows, edge_x)
        batch = len(devices)
        graph = _mean_at(rows.graph_of_op, ops, batch)
        if not self._has_steps:
            devices = self._with_links(observation, devices, [])
            return torch.cat([graph, devices.flatten(1)], 1)
        is_current = observation["current"].flatten()[rows.op_at] == 1
        current = _mean_at(rows.graph_of_op[is_current], ops[is_current], batch)
        sets = self._sets_on_devices(observation, rows, ops, edge_x, is_current)
        devices = self._with_links(observation, devices, sets)
        return torch.cat([current, graph, observation["progress"].float(), devices.flatten(1)], 1)

    def _devices(self, observation: Mapping[str, Tensor]) -> Tensor:
        """[batch, devices, device features]: devices by their features and load alone."""
        parts = [observation["device_x"].float()]
        if self._has_steps:
            parts += [
                observation[key].float()[..., None] for key in ("device_load", "device_memory")
            ]
        return torch.relu(self.device(torch.cat(parts, -1)))

    def _ops(self, observation: Mapping[str, Tensor], rows: _Rows, devices: Tensor) -> Tensor:
        """[n, hidden]: ops before any message."""
        op_type = self.op_type(observation["op_type"].long().flatten()[rows.op_at])
        parts = [observation["x"].float().flatten(0, 1)[rows.op_at], op_type]
        if self._has_steps:
            levels = observation["plan"][:, 1:].float().transpose(1, 2).flatten(0, 1)[rows.op_at]
            slot, is_placed = self._slots(observation, rows)
            parts += [
                (levels + 1) / self._levels,  # [n, 2]: of priority and fusion
                observation["current"].float().flatten()[rows.op_at, None],
                is_placed[:, None].float(),
                devices.flatten(0, 1)[slot] * is_placed[:, None],
            ]
        return torch.relu(self.op(torch.cat(parts, 1)))

    def _slots(self, observation: Mapping[str, Tensor], rows: _Rows) -> tuple[Tensor, Tensor]:
        """The device of each op as a place in [batch * devices], and whether it has one."""
        device = observation["plan"][:, 0].long().flatten()[rows.op_at]
        return rows.graph_of_op * self.num_devices + device.clamp(min=0), device >= 0

    def _sets_on_devices(
        self,
        observation: Mapping[str, Tensor],
        rows: _Rows,
        ops: Tensor,
        edge_x: Tensor,
        is_current: Tensor,
    ) -> list[Tensor]:
        """Twice [batch, devices, hidden]: the ops on a device; those beside the current ones."""
        batch = len(observation["op_mask"])
        size = batch * self.num_devices
        slot, is_placed = self._slots(observation, rows)
        on_device = _mean_at(slot[is_placed], ops[is_placed], size)
        into, out_of = is_current[rows.target], is_current[rows.source]
        beside = torch.cat([rows.source[into], rows.target[out_of]])
        message = torch.cat([ops[beside], torch.cat([edge_x[into], edge_x[out_of]])], 1)
        message = torch.relu(self.neighbour(message))
        counts = is_placed[beside]
        neighbours = _mean_at(slot[beside][counts], message[counts], size)
        return [part.unflatten(0, (batch, self.num_devices)) for part in (on_device, neighbours)]

    def _with_links(
        self, observation: Mapping[str, Tensor], devices: Tensor, sets: list[Tensor]
    ) -> Tensor:
        """[batch, devices, device features]: devices with links and ops; 0 for padding."""
        mask = observation["machine_mask"].float()  # [batch, devices]
        pairs = observation["pair_x"].float()  # [batch, from, to, pair features]
        sender = devices[:, :, None].expand(-1, -1, self.num_devices, -1)
        message = torch.relu(self.link(torch.cat([sender, pairs], -1))) * mask[:, :, None, None]
        received = message.sum(1) / mask.sum(1)[:, None, None]
        result = torch.relu(self.device_result(torch.cat([devices, received, *sets], -1)))
        return result * mask[..., None]


class _Round(nn.Module):
    """Messages along all edges in both directions, and new vectors of the ops."""

    def __init__(self, hidden: int, edge_features: int) -> None:
        super().__init__()
        self.downstream = nn.Linear(hidden + edge_features, hidden)
        self.upstream = nn.Linear(hidden + edge_features, hidden)
        self.update = nn.Linear(3 * hidden, hidden)
        self.norm = nn.LayerNorm(hidden)

    def forward(self, ops: Tensor, rows: _Rows, edge_x: Tensor) -> Tensor:
        """[n, hidden] of [n, hidden] and [m, edge features]."""
        down = torch.relu(self.downstream(torch.cat([ops[rows.source], edge_x], 1)))
        up = torch.relu(self.upstream(torch.cat([ops[rows.target], edge_x], 1)))
        down = _mean_at(rows.target, down, len(ops))
        up = _mean_at(rows.source, up, len(ops))
        return self.norm(ops + torch.relu(self.update(torch.cat([ops, down, up], 1))))


def _shapes_of(space: spaces.Dict) -> dict[str, tuple[int, ...]]:
    """The shapes of the arrays of a dict observation."""
    needed = {"op_type", "x", "edge_index", "edge_x", "device_x", "pair_x"}
    needed |= {"op_mask", "edge_mask", "machine_mask"}
    found = set(space) if isinstance(space, spaces.Dict) else set()
    if needed - found:
        raise ValueError(
            f"observation_space: found {type(space).__name__} without "
            f"{', '.join(sorted(needed - found))}, expected that of an environment of opyard with "
            "obs='dict'"
        )
    return {key: part.shape for key, part in space.items() if part.shape is not None}


def _rows_of(observation: Mapping[str, Tensor]) -> _Rows:
    """The ops and edges of a batch that the masks call real."""
    op_mask, edge_mask = observation["op_mask"].bool(), observation["edge_mask"].bool()
    max_ops, max_edges = op_mask.shape[1], edge_mask.shape[1]
    op_at = op_mask.flatten().nonzero().squeeze(1)
    edge_at = edge_mask.flatten().nonzero().squeeze(1)
    row = op_mask.flatten().cumsum(0) - 1  # of each place in [batch * max_ops]
    first = edge_at // max_edges * max_ops  # the place of the first op of each edge's graph
    source, target = (
        row[first + observation["edge_index"][:, end].long().flatten()[edge_at]] for end in (0, 1)
    )
    return _Rows(op_at, op_at // max_ops, edge_at, source, target)


def _mean_at(index: Tensor, values: Tensor, size: int) -> Tensor:
    """[size, columns]: the means of the values [n, columns] with equal index; 0 where none."""
    total = values.new_zeros(size, values.shape[1]).index_add(0, index, values)
    count = values.new_zeros(size).index_add(0, index, values.new_ones(len(index)))
    return total / count.clamp(min=1)[:, None]
