"""The instances that a duel starts from: random ones, or a graph and a machine that are given."""

from __future__ import annotations

import itertools
import random
from typing import Any

from opyard import _core
from opyard.duels.instance import Base, Instance, TensorFactor

LOWEST, HIGHEST = 0.1, 1.0
"""The range of factors, as the package SAGA 2 has it for all weights."""
DIGITS = 3
"""The decimals of factors, so that an instance is a short text that replays exactly."""
_GIVEN_FACTOR = 0.5
_UNIT_SECONDS = 1e-3
_UNIT_BYTES = 1e6
_UNIT_RATE = 1e9  # bytes per second: a tensor of factor 1 takes a unit of time on a link of 1
_EDGE_PROBABILITY = 0.5
_KEPT_KEYS = ("name", "type", "device_kinds", "colocation", "phase", "layer", "param_bytes")


def random_factor(rng: random.Random) -> float:
    """A factor, uniform over the range."""
    return round(rng.uniform(LOWEST, HIGHEST), DIGITS)


def random_instance(
    rng: random.Random, kind: str, ops: tuple[int, int], devices: tuple[int, int]
) -> Instance:
    """A random instance of scheduling theory: links delay, and nothing queues for them.

    Args:
        rng: The source of its numbers.
        kind: ``"chain"``, as published, or ``"dag"``: each pair of ops has an edge with
            probability 1/2.
        ops: The least and the greatest number of ops.
        devices: The least and the greatest number of devices, joined all to all.
    """
    num_ops = rng.randint(*ops)
    num_devices = rng.randint(*devices)
    pairs = [
        pair
        for pair in itertools.combinations(range(num_ops), 2)
        if (pair[1] == pair[0] + 1 if kind == "chain" else rng.random() < _EDGE_PROBABILITY)
    ]
    base = theory_base(num_ops, num_devices)
    return instance_of_pairs(
        base,
        ops=[random_factor(rng) for _ in range(num_ops)],
        devices=[random_factor(rng) for _ in range(num_devices)],
        links=[random_factor(rng) for _ in base.link_bytes_per_s],
        pairs=[(src, dst, random_factor(rng)) for src, dst in pairs],
    )


def instance_of_pairs(
    base: Base,
    *,
    ops: list[float],
    devices: list[float],
    links: list[float],
    pairs: list[tuple[int, int, float]],
) -> Instance:
    """The instance with a tensor for each of `pairs`: producer, reader, factor."""
    return Instance(
        base=base,
        ops=tuple(ops),
        devices=tuple(devices),
        links=tuple(links),
        tensors=tuple(TensorFactor(src, base.unit_bytes, factor) for src, _, factor in pairs),
        edges=tuple((i, dst) for i, (_, dst, _) in enumerate(pairs)),
    )


def theory_base(num_ops: int, num_devices: int) -> Base:
    """Ops of 1 ms on processors of scheduling theory, with a link of 1 GB/s for each pair."""
    pairs = list(itertools.combinations(range(num_devices), 2))
    return Base(
        name="duel",
        ops=tuple({"name": f"op{i}", "type": "Task"} for i in range(num_ops)),
        seconds=((_UNIT_SECONDS,) * num_devices,) * num_ops,
        machine=_theory_machine(num_devices, pairs),
        link_bytes_per_s=(_UNIT_RATE,) * len(pairs),
        unit_bytes=_UNIT_BYTES,
    )


def _theory_machine(num_devices: int, pairs: list[tuple[int, int]]) -> dict[str, Any]:
    sampled = {"kind": "assumed", "source": "sampled and changed by opyard duel"}
    theory = {"kind": "assumed", "source": "scheduling theory: a delay for each edge, no memory"}
    return {
        "schema_version": 1,
        "name": "duel",
        "devices": [
            {"name": f"processor{d}", "type": "p100-pcie-16gb", "launch_overhead": "0 us"}
            for d in range(num_devices)
        ],
        "links": [
            {
                "name": f"link{a}-{b}",
                "between": [f"processor{a}", f"processor{b}"],
                "bandwidth": f"{_UNIT_RATE:.0f} B/s",
                "latency": "0 us",
                "duplex": "half",
            }
            for a, b in pairs
        ],
        "transfers": {"sharing": "none", "one_per": "edge"},
        "memory": {"on_exceed": "ignore"},
        "provenance": {"devices": sampled, "links": sampled, "transfers": theory, "memory": theory},
    }


def given_instance(graph: _core.Graph, machine: _core.Machine) -> Instance:
    """The instance of a graph and a machine, with all factors in the middle: 0.5.

    Ops have the seconds of the cost model on each device, so that work of ops and speed of devices
    can change. Of outputs the bytes stay; aliases and shapes do not, nor do workspaces.
    """
    seconds = _core.op_seconds(graph, machine)
    values = graph.to_dict()
    machine_values = machine.to_dict()
    base = Base(
        name=values["name"],
        ops=tuple(_kept_of(op) for op in values["ops"]),
        seconds=tuple(tuple(float(cell) for cell in row) for row in seconds),
        machine=machine_values,
        link_bytes_per_s=tuple(
            float(link["bandwidth"].split()[0]) / _GIVEN_FACTOR
            for link in machine_values.get("links", [])
        ),
        unit_bytes=max(1.0, _mean_bytes(graph)) / _GIVEN_FACTOR,
    )
    return Instance(
        base=base,
        ops=(_GIVEN_FACTOR,) * len(base.ops),
        devices=(_GIVEN_FACTOR,) * machine.num_devices,
        links=(_GIVEN_FACTOR,) * len(base.link_bytes_per_s),
        tensors=tuple(
            TensorFactor(tensor.producer, tensor.bytes / _GIVEN_FACTOR, _GIVEN_FACTOR)
            for tensor in graph.tensors
        ),
        edges=tuple((tensor, op.index) for op in graph.ops for tensor in op.inputs),
    )


def _kept_of(op: dict[str, Any]) -> dict[str, Any]:
    kept = {key: op[key] for key in _KEPT_KEYS if key in op}
    return {**kept, **({"control_inputs": op["control_inputs"]} if "control_inputs" in op else {})}


def _mean_bytes(graph: _core.Graph) -> float:
    tensors = graph.tensors
    return sum(tensor.bytes for tensor in tensors) / len(tensors) if tensors else 0.0
