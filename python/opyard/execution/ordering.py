"""The schedule of a plan: which device runs which op, and in which sequence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import networkx as nx

from opyard import _core
from opyard.execution.devices import Device
from opyard.execution.errors import ExecutionError
from opyard.execution.partition import Schedule


@dataclass(frozen=True)
class OrderedPlan:
    """A plan as it runs, with its simulation."""

    schedule: Schedule
    simulated_s: float
    notes: list[str]  # what the plan says and a run does not follow


def order_plan(
    graph: _core.Graph, machine: _core.Machine, plan: _core.Plan, devices: Sequence[Device]
) -> OrderedPlan:
    """Orders the ops of `plan` for `devices`.

    Under the queue `program` each device runs its ops by index. Under every other queue it runs
    them in the order in which they start in the simulation, which for a plan with orders is that
    of its streams, and where a device has several, merges them by the instants of the starts.

    Args:
        graph: The graph of the step.
        machine: The machine that the plan was made for.
        plan: The plan.
        devices: The devices that run it: those of the machine by their names, or else one
            for each of the machine's devices, in order.

    Raises:
        ExecutionError: The plan does not complete in the simulation, or needs other devices.
    """
    ranks = _ranks(machine, plan, devices)
    result = _core.simulate(graph, machine, plan)
    if result["outcome"] != "completed":
        raise ExecutionError(f"the plan cannot run: {_reason(result)}")
    return OrderedPlan(
        schedule=Schedule(ranks, _sequence(graph, plan, result), [d.name for d in devices]),
        simulated_s=result["makespan_s"],
        notes=_notes(plan, result),
    )


def _ranks(machine: _core.Machine, plan: _core.Plan, devices: Sequence[Device]) -> list[int]:
    """The place in `devices` of the device of each op."""
    names = machine.device_names
    ours = [device.name for device in devices]
    used = {names[device] for device in plan.placement}
    if used <= set(ours):
        return [ours.index(names[device]) for device in plan.placement]
    if len(names) == len(ours):
        return list(plan.placement)
    raise ExecutionError(
        f"--devices: the plan uses {', '.join(sorted(used))} of a machine with "
        f"{', '.join(names)}; found {', '.join(ours)}, expected devices of these names or "
        f"{len(names)} in their order"
    )


def _reason(result: dict[str, Any]) -> str:
    failure = result["failure"] or {}
    if failure.get("kind") == "out_of_memory":
        return (
            f"out of memory in its simulation on {failure['device']}, at {failure['what']}: "
            f"{failure['requested_bytes']} bytes asked, {failure['in_use_bytes']} of "
            f"{failure['capacity_bytes']} in use"
        )
    cycle = failure.get("cycle")
    ring = f": {', then '.join(map(str, cycle))}" if cycle else ""
    return f"its simulation ends in {result['outcome']}{ring}"


def _sequence(graph: _core.Graph, plan: _core.Plan, result: dict[str, Any]) -> list[int]:
    """All ops, each behind what it waits for, else by start, of equal ones by index."""
    order = nx.DiGraph()
    order.add_nodes_from(range(len(graph)))
    tensors = graph.tensors
    for op in graph.ops:
        order.add_edges_from((tensors[tensor].producer, op.index) for tensor in op.inputs)
        order.add_edges_from((before, op.index) for before in op.control_inputs)
    for stream in (stream for streams in plan.order for stream in streams):
        order.add_edges_from(pairwise(stream))
    starts = [0.0 if plan.queue == "program" else op["start_s"] for op in result["ops"]]
    return list(nx.lexicographical_topological_sort(order, key=lambda op: (starts[op], op)))


def _notes(plan: _core.Plan, result: dict[str, Any]) -> list[str]:
    notes = []
    fused = len(result["ops"]) - len({op["group"] for op in result["ops"]})
    if fused:
        notes.append(f"{fused} ops that the plan fuses with others run as kernels of their own")
    if plan.queue in ("fifo", "priority"):
        notes.append(f"ops run in the order of the simulation of this {plan.queue} plan")
    if any(len(streams) > 1 for streams in plan.order):
        notes.append("streams of a device run as one, merged by the starts of the simulation")
    if plan.transfer_order:
        notes.append("transfers leave as their tensors are made, not in the plan's order")
    return notes
