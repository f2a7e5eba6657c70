"""Tiny problems, and all that their plans can reach, by simulating every one of them."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from typing import Any

import opyard
from opyard import _core

_LINK = {"between": ["gpu0", "gpu1"], "bandwidth": "1e9 B/s", "latency": "1e-6 s", "duplex": "full"}


def machine(
    sharing: str = "none",
    *,
    memory: str = "ignore",
    copy_overhead: str | None = None,
    **changes: Any,
) -> opyard.Machine:
    """Two equal devices and a link of 1000 bytes per µs; `changes` replace whole keys."""
    device = opyard.load_machine("regal").to_dict()["devices"][0]
    if copy_overhead is not None:
        device |= {"copy_overhead": copy_overhead}
    values = {
        "schema_version": 1,
        "name": f"two-{sharing}",
        "devices": [device | {"name": f"gpu{d}"} for d in range(2)],
        "links": [_LINK | {"name": "link"}],
        "transfers": {"sharing": sharing},
        "memory": {"on_exceed": memory},
    }
    return opyard.Machine.from_dict(values | changes)


def graph(seed: int, num_ops: int, *, has_memory: bool = False, instant: float = 0.0) -> Any:
    """A random graph whose times are whole µs.

    Args:
        seed: Of the sampling.
        num_ops: How many ops.
        has_memory: With parameters, workspaces, aliases and kept outputs.
        instant: The share of ops that take no time.
    """
    rng = random.Random(seed)
    ops: list[dict[str, Any]] = []
    for i in range(num_ops):
        sources = [p for p in range(i) if rng.random() < 0.4]
        controls = [p for p in range(i) if p not in sources and rng.random() < 0.1]
        micros = 0 if rng.random() < instant else rng.randint(1, 6)
        op: dict[str, Any] = {
            "name": f"op{i}",
            "type": "MatMul",
            "inputs": [[p, 0] for p in sources],
            "control_inputs": controls,
            "outputs": [{"bytes": 1000 * rng.randint(1, 5)}],
            "seconds": {"*": micros * 1e-6},
        }
        if has_memory:
            op["param_bytes"] = 1000 * rng.randint(0, 2)
            op["workspace_bytes"] = 1000 * rng.randint(0, 2)
            if sources and rng.random() < 0.3:
                op["outputs"][0]["alias"] = 0
            elif op["param_bytes"] and rng.random() < 0.3:
                op["outputs"][0]["alias"] = "params"
            if rng.random() < 0.2:
                op["outputs"][0]["keep"] = True
        elif rng.random() < 0.2:
            op["release"] = rng.randint(0, 8) * 1e-6
        ops.append(op)
    return opyard.Graph.from_dict({"format": "opyard-graph/1", "name": f"tiny{seed}", "ops": ops})


def problem(
    of: opyard.Graph, on: opyard.Machine | str, objective: str = "makespan"
) -> opyard.Problem:
    """The problem of placing and scheduling each op."""
    tasks = ["placement", "scheduling"]
    return opyard.Problem(of, on, tasks=tasks, objective=objective, group="none", fusion="none")


def best_score(of: opyard.Problem, queue: str) -> float:
    """The least score of all plans of a queue, ``"priority"`` or ``"order"``."""
    evaluator = opyard.Evaluator(of, threads=1)
    best = float("inf")
    plans = _plans(of, queue)
    while batch := list(itertools.islice(plans, 4096)):
        best = min(best, *(found["score"] for found in evaluator.evaluate(batch)))
    return best


def _plans(of: opyard.Problem, queue: str) -> Iterator[opyard.Plan]:
    """Every placement, with every order of ops; of transfers, too, where they wait for each other.

    The first op stays on device 0: the devices are equal.
    """
    num_ops, num_devices = of.graph.num_ops, of.hardware.num_devices
    contends = of.hardware.to_dict()["transfers"]["sharing"] == "serial"
    for rest in itertools.product(range(num_devices), repeat=num_ops - 1):
        placement = [0, *rest]
        orders = {
            tuple(tuple(op for op in order if placement[op] == d) for d in range(num_devices))
            for order in _linear_orders(of.graph)
        }
        transfers = _transfers(of.graph, placement) if contends else []
        for order in sorted(orders):
            for sent in itertools.permutations(transfers):
                yield _plan(of, queue, placement, order, sent)


def _linear_orders(of: opyard.Graph) -> list[tuple[int, ...]]:
    """Every order of the ops that the edges allow."""
    needs = [{of.tensor(t).producer for t in op.inputs} | set(op.control_inputs) for op in of.ops]

    def extend(done: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(done) == of.num_ops:
            yield done
        for op in range(of.num_ops):
            if op not in done and needs[op] <= set(done):
                yield from extend((*done, op))

    return list(extend(()))


def _transfers(of: opyard.Graph, placement: list[int]) -> list[tuple[int, int]]:
    """Op and device of each copy."""
    copies = {
        (tensor.producer, placement[reader])
        for tensor in of.tensors
        for reader in tensor.consumers
        if placement[reader] != placement[tensor.producer]
    }
    return sorted(copies)


def _plan(
    of: opyard.Problem,
    queue: str,
    placement: list[int],
    order: tuple[tuple[int, ...], ...],
    sent: tuple[tuple[int, int], ...],
) -> opyard.Plan:
    names = of.hardware.device_names
    plan: dict[str, Any] = {
        "format": "opyard-plan/1",
        "graph": of.graph.name,
        "queue": queue,
        "placement": [names[d] for d in placement],
    }
    if queue == "order":
        plan["order"] = {name: [list(ops)] for name, ops in zip(names, order, strict=True)}
    else:
        priority = {op: -place for ops in order for place, op in enumerate(ops)}
        plan["op_priority"] = [priority[op] for op in range(of.graph.num_ops)]
    plan["transfer_priority"] = [
        {"op": op, "output": 0, "device": names[d], "priority": -place}
        for place, (op, d) in enumerate(sent)
    ]
    return _core.read_plan(json.dumps(plan).encode(), "plan", of.graph, of.hardware)
