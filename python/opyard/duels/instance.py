"""A problem instance of a duel: a graph and a machine whose figures are factors of base figures."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opyard import _core


@dataclass(frozen=True)
class Base:
    """The part of an instance that no change touches."""

    name: str
    ops: tuple[Mapping[str, Any], ...]
    """Per op the keys of graph files that stay: `name`, `type` and the like."""
    seconds: tuple[tuple[float, ...], ...]
    """[num_ops][num_devices], in seconds, of an op and a device of factor 1."""
    machine: Mapping[str, Any]
    """The machine as `Machine.from_dict` takes it."""
    link_bytes_per_s: tuple[float, ...]
    """[num_links], of a link of factor 1."""
    unit_bytes: float
    """The bytes of a new edge of factor 1."""

    @property
    def device_names(self) -> list[str]:
        """The names of the devices, in the order of the machine."""
        return [device["name"] for device in self.machine["devices"]]


@dataclass(frozen=True)
class TensorFactor:
    """An output of an op."""

    producer: int
    unit_bytes: float
    """Its bytes at factor 1."""
    factor: float


@dataclass(frozen=True)
class Instance:
    """Factors of all ops, devices, links and tensors, and the edges.

    An op takes its base seconds times its factor over that of the device. A tensor has its unit
    bytes times its factor, a link its base bandwidth times its factor.
    """

    base: Base
    ops: tuple[float, ...]
    devices: tuple[float, ...]
    links: tuple[float, ...]
    tensors: tuple[TensorFactor, ...]
    edges: tuple[tuple[int, int], ...]
    """Each the index of a tensor and that of the op that reads it."""

    def pairs(self) -> list[tuple[int, int]]:
        """The ops that each edge joins: producer, reader."""
        return [(self.tensors[tensor].producer, reader) for tensor, reader in self.edges]

    def graph_dict(self) -> dict[str, Any]:
        """The graph as `Graph.from_dict` and graph files have it."""
        outputs: list[list[dict[str, int]]] = [[] for _ in self.ops]
        places = []
        for tensor in self.tensors:
            places.append([tensor.producer, len(outputs[tensor.producer])])
            num_bytes = max(1, round(tensor.unit_bytes * tensor.factor))
            outputs[tensor.producer].append({"bytes": num_bytes})
        inputs: list[list[list[int]]] = [[] for _ in self.ops]
        for tensor, reader in self.edges:
            inputs[reader].append(places[tensor])
        ops = [
            {**fixed, "inputs": inputs[i], "outputs": outputs[i], "seconds": self._seconds_of(i)}
            for i, fixed in enumerate(self.base.ops)
        ]
        return {"format": "opyard-graph/1", "name": self.base.name, "ops": ops}

    def machine_dict(self) -> dict[str, Any]:
        """The machine as `Machine.from_dict` and machine files have it."""
        links = [
            {**link, "bandwidth": f"{max(1, round(rate * factor))} B/s"}
            for link, rate, factor in zip(
                self.base.machine.get("links", []),
                self.base.link_bytes_per_s,
                self.links,
                strict=True,
            )
        ]
        return {**self.base.machine, **({"links": links} if links else {})}

    def problem(self) -> _core.Problem:
        """Placement and order of single ops, none of which fuse.

        Raises:
            InputError: The graph or the machine is not legal.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of figures that look typed wrong: they were sampled
            machine = _core.Machine.from_dict(self.machine_dict())
        graph = _core.Graph.from_dict(self.graph_dict())
        tasks = ["placement", "scheduling"]
        return _core.Problem(graph, machine, tasks=tasks, group="none", fusion="none")

    def _seconds_of(self, op: int) -> dict[str, float]:
        base = self.base
        return {
            name: base.seconds[op][d] * self.ops[op] / self.devices[d]
            for d, name in enumerate(base.device_names)
        }
