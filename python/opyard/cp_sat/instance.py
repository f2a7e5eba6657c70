"""A problem as whole numbers: durations, transfers and bytes, in units that divide all of them."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import opyard

PICOSECONDS = 10**12
NOT_ALLOWED = -1


@dataclass(frozen=True)
class Tensor:
    """One tensor: who makes and reads it, and whose storage it uses."""

    bytes: int
    producer: int
    readers: tuple[int, ...]
    """Ops, each once."""
    alias: str
    """``"none"``, ``"input"`` or ``"params"``."""
    aliased: int | None
    """The tensor whose storage it shares, of an alias of an input."""
    is_kept: bool
    shows_parameters: bool
    """True of an alias of parameters, through any number of aliases: its copies stay to the end."""


@dataclass(frozen=True)
class Instance:
    """What a model is made of. Times are in units of `time_unit_ps`, sizes in `byte_unit`."""

    num_ops: int
    num_devices: int
    duration: list[list[int]]
    """[ops, devices]; NOT_ALLOWED where the op may not run."""
    earliest: list[int]
    """[ops]: no op starts before its release, nor before the host has issued it."""
    rank: list[int]
    """[ops]: topological index."""
    labels: list[list[int]]
    """Ops that share a device, for each label with several ops."""
    tensors: list[Tensor]
    control_edges: list[tuple[int, int]]
    latency: list[list[int]]
    """[devices, devices]: the time of a control edge."""
    move: list[list[list[int]]]
    """[tensors, devices, devices]: the duration of a transfer."""
    channels: list[list[tuple[str, ...]]]
    """[devices, devices]: what a transfer occupies; nothing without contention."""
    op_gap: int
    channel_gap: int
    param_bytes: list[int]
    workspace_bytes: list[int]
    capacity: list[int] | None
    """[devices], None where no run can exceed it or nobody checks."""
    time_unit_ps: int
    byte_unit: int
    has_equal_devices: bool
    """True if devices can be renamed without any effect."""

    @functools.cached_property
    def horizon(self) -> int:
        """No run that never leaves everything idle takes longer."""
        ops = sum(max(row) + self.op_gap for row in self.duration)
        moves = sum(
            (max(max(row) for row in self.move[t]) + self.channel_gap)
            * min(self.num_devices, len(tensor.readers))
            for t, tensor in enumerate(self.tensors)
        )
        waits = len(self.control_edges) * max(max(row) for row in self.latency)
        return ops + moves + waits + max(self.earliest)

    @functools.cached_property
    def num_instant_works(self) -> int:
        """How many ops and transfers may take no time: each makes an instant a round longer."""
        ops = sum(0 in row for row in self.duration)
        pairs = [(i, j) for i in range(self.num_devices) for j in range(self.num_devices) if i != j]
        moves = sum(
            min(self.num_devices - 1, len(tensor.readers))
            for t, tensor in enumerate(self.tensors)
            if any(self.move[t][i][j] == 0 for i, j in pairs)
        )
        return ops + moves

    def devices_of(self, op: int) -> list[int]:
        """Where the op may run."""
        return [d for d in range(self.num_devices) if self.duration[op][d] != NOT_ALLOWED]

    def data_edges(self) -> Iterator[tuple[int, int, int]]:
        """Producer, tensor, reader of each edge."""
        for t, tensor in enumerate(self.tensors):
            for reader in tensor.readers:
                yield tensor.producer, t, reader


def instance_of(problem: opyard.Problem) -> Instance:
    """The numbers of a problem that `support.refuse_unsupported` has let pass."""
    machine = problem.hardware.to_dict()
    graph = problem.graph
    tensors = _tensors_of(graph)
    has_channels = machine["transfers"]["sharing"] == "serial" and machine["rules"] != "regal"
    times = _times_of(problem, machine, tensors, has_channels)
    byte_unit = math.gcd(
        *(tensor.bytes for tensor in tensors),
        *(op.param_bytes for op in graph.ops),
        *(op.workspace_bytes for op in graph.ops),
    )
    byte_unit = byte_unit or 1
    capacity = _capacities(problem, machine, tensors)
    return Instance(
        num_ops=graph.num_ops,
        num_devices=problem.hardware.num_devices,
        duration=np.where(
            times.duration > 0, times.duration // times.unit, times.duration
        ).tolist(),
        earliest=(times.earliest // times.unit).tolist(),
        rank=times.rank.tolist(),
        labels=_labels_of(problem),
        tensors=tensors,
        control_edges=[(p, op.index) for op in graph.ops for p in op.control_inputs],
        latency=(times.latency // times.unit).tolist(),
        move=[(matrix // times.unit).tolist() for matrix in times.move],
        channels=_channels_of(problem, has_channels),
        op_gap=times.op_gap // times.unit,
        channel_gap=times.channel_gap // times.unit,
        param_bytes=[op.param_bytes // byte_unit for op in graph.ops],
        workspace_bytes=[op.workspace_bytes // byte_unit for op in graph.ops],
        capacity=None if capacity is None else [count // byte_unit for count in capacity],
        time_unit_ps=times.unit,
        byte_unit=byte_unit,
        has_equal_devices=not has_channels and _are_equal(times.duration, problem.arrays()),
    )


@dataclass(frozen=True)
class _Times:
    """Times in picoseconds."""

    duration: npt.NDArray[np.int64]
    earliest: npt.NDArray[np.int64]
    rank: npt.NDArray[np.int64]
    latency: npt.NDArray[np.int64]
    move: list[npt.NDArray[np.int64]]
    op_gap: int
    channel_gap: int

    @functools.cached_property
    def unit(self) -> int:
        """Their greatest common divisor."""
        gaps = np.array([self.op_gap, self.channel_gap])
        durations = self.duration[self.duration > 0]
        parts = [durations, self.earliest, self.latency, gaps, *self.move]
        return int(np.gcd.reduce(np.concatenate([np.ravel(part) for part in parts]))) or 1


def _times_of(
    problem: opyard.Problem, machine: dict[str, Any], tensors: list[Tensor], has_channels: bool
) -> _Times:
    arrays = problem.arrays()
    graph = problem.graph
    latency = _picoseconds(arrays["latency_s"])
    order = graph.arrays()["topological_order"]
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    dispatch = _gap_in(machine["execution"]["dispatch"])
    release = _picoseconds(np.array([op.release for op in graph.ops]))
    rates = arrays["bandwidth_bytes_per_s"]
    return _Times(
        duration=_durations_ps(problem, arrays),
        earliest=np.maximum(release, (rank + 1) * dispatch),
        rank=rank,
        latency=latency,
        move=[latency + _picoseconds(tensor.bytes / rates) for tensor in tensors],
        op_gap=_gap_in(machine["execution"]["gap_after_op"]),
        channel_gap=_gap_in(machine["transfers"]["gap_after"]) if has_channels else 0,
    )


def _gap_in(text: str) -> int:
    return round(seconds_in(text) * PICOSECONDS)


def seconds_in(text: str) -> float:
    """The seconds in a time that `Machine.to_dict` wrote."""
    number, unit = text.split()
    assert unit == "s", text
    return float(number)


def _picoseconds(seconds: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """As the simulator rounds: to nearest, halves to even."""
    return np.rint(np.asarray(seconds, np.float64) * 1e12).astype(np.int64)


def _durations_ps(problem: opyard.Problem, arrays: Any) -> npt.NDArray[np.int64]:
    """[ops, devices] in picoseconds; NOT_ALLOWED also where placement is no task and elsewhere."""
    allowed = arrays["allowed"].copy()
    if "placement" not in problem.tasks:
        fixed = np.array(problem.plan().placement)
        allowed &= np.arange(allowed.shape[1]) == fixed[:, None]
    seconds = np.where(allowed, arrays["op_seconds"], 0.0)
    return np.where(allowed, _picoseconds(seconds), NOT_ALLOWED)


def _tensors_of(graph: opyard.Graph) -> list[Tensor]:
    tensors = graph.tensors

    @functools.cache
    def shows_parameters(index: int) -> bool:
        tensor = tensors[index]
        if tensor.alias == "input":
            assert tensor.aliased is not None
            return shows_parameters(tensor.aliased)
        return tensor.alias == "params"

    order = graph.arrays()["topological_order"].tolist()
    for op in order:  # a chain of aliases may be longer than Python's stack
        for index in graph.op(op).outputs:
            shows_parameters(index)
    return [
        Tensor(
            bytes=tensor.bytes,
            producer=tensor.producer,
            readers=tuple(tensor.consumers),
            alias=tensor.alias,
            aliased=tensor.aliased,
            is_kept=tensor.is_kept,
            shows_parameters=shows_parameters(tensor.index),
        )
        for tensor in tensors
    ]


def _labels_of(problem: opyard.Problem) -> list[list[int]]:
    """The ops that share a device: those of a label, and of a module where these are decided."""
    members: dict[str | int, list[int]] = {}
    if str(problem.group).startswith("module"):
        for op, group in enumerate(problem.group_of_op):
            members.setdefault(group, []).append(op)
    else:
        for each in problem.graph.ops:
            if each.colocation is not None:
                members.setdefault(each.colocation, []).append(each.index)
    return [ops for ops in members.values() if len(ops) > 1]


def _capacities(
    problem: opyard.Problem, machine: dict[str, Any], tensors: list[Tensor]
) -> list[int] | None:
    """Bytes of each device; None if a run cannot fail for want of memory."""
    if machine["memory"]["on_exceed"] == "ignore":
        return None
    capacities: list[int] = problem.arrays()["capacity_bytes"].tolist()
    ops = problem.graph.ops
    most = sum(op.param_bytes for op in ops) + max(op.workspace_bytes for op in ops)
    most += sum(tensor.bytes for tensor in tensors)  # one original or one copy on each device
    return None if most <= min(capacities) else capacities


def _are_equal(duration_ps: npt.NDArray[np.int64], arrays: Any) -> bool:
    """True if all devices take every op as long, and all transfers."""
    apart = ~np.eye(duration_ps.shape[1], dtype=bool)
    pairs = Counter(
        zip(
            arrays["latency_s"][apart].tolist(),
            arrays["bandwidth_bytes_per_s"][apart].tolist(),
            strict=True,
        )
    )
    is_same = (duration_ps == duration_ps[:, :1]).all()
    return bool(is_same) and len(pairs) <= 1 and len(set(arrays["capacity_bytes"].tolist())) == 1


def _channels_of(problem: opyard.Problem, has_channels: bool) -> list[list[tuple[str, ...]]]:
    """The channels of each pair of devices, from runs with a single transfer."""
    num_devices = problem.hardware.num_devices
    found: list[list[tuple[str, ...]]] = [[()] * num_devices for _ in range(num_devices)]
    if not has_channels:
        return found
    pair = opyard.Graph.from_dict(
        {
            "format": "opyard-graph/1",
            "name": "pair",
            "ops": [
                {"name": "a", "type": "Relu", "outputs": [{"bytes": 1}], "seconds": {"*": 0}},
                {"name": "b", "type": "Relu", "inputs": [[0, 0]], "seconds": {"*": 0}},
            ],
        }
    )
    probe = opyard.Problem(pair, problem.hardware, fusion="none")
    for i, row in enumerate(found):
        for j in range(len(row)):
            if i != j:
                run = probe.simulate(opyard.Plan([i, j]))
                row[j] = tuple(use["name"] for use in run["channels"] if use["bytes"] > 0)
    return found
