"""A solution as a plan."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

import opyard
from opyard import _core
from opyard.cp_sat.copies import Copies, Copy
from opyard.cp_sat.model import ScheduleModel


@dataclass(frozen=True)
class Values:
    """What the solver gave the variables."""

    of: Callable[[Any], int]

    def is_true(self, literal: cp_model.LiteralT) -> bool:
        """The value of a literal."""
        return bool(self.of(literal))


def plan_of(
    problem: opyard.Problem,
    schedule: ScheduleModel,
    copies: Copies | None,
    values: Values,
    mode: str,
) -> opyard.Plan:
    """The plan with the placement of a solution, and with its order of ops and transfers.

    Ops that begin at one tick stand by their ends, then by their topological index: those that
    take no time come first.
    """
    instance = schedule.instance
    placement = [
        next(d for d, is_here in places.items() if values.is_true(is_here))
        for places in schedule.place
    ]
    order = sorted(
        range(instance.num_ops),
        key=lambda op: (
            values.of(schedule.ops[op].begin),
            values.of(schedule.ops[op].end),
            instance.rank[op],
        ),
    )
    names = problem.hardware.device_names
    plan: dict[str, Any] = {
        "format": "opyard-plan/1",
        "graph": problem.graph.name,
        "placement": [names[d] for d in placement],
    }
    if mode == "relaxed":
        streams: dict[str, list[list[int]]] = {name: [[]] for name in names}
        for op in order:
            streams[names[placement[op]]][0].append(op)
        plan |= {"queue": "order", "order": streams}
    else:
        position = {op: place for place, op in enumerate(order)}
        priorities = [instance.num_ops - position[op] for op in range(instance.num_ops)]
        plan |= {"queue": "priority", "op_priority": priorities}
    if copies is not None and any(map(any, instance.channels)):
        made = _made(copies, values)
        if mode == "relaxed":
            plan["transfer_order"] = _transfer_order(problem, copies, made)
        else:
            plan["transfer_priority"] = _transfer_priorities(problem, made)
    text = json.dumps(plan).encode()
    return _core.read_plan(text, "the plan of cp_sat", problem.graph, problem.hardware)


def _made(copies: Copies, values: Values) -> list[Copy]:
    """The transfers of a solution in the order in which they begin."""
    made = [copy for copy in copies.all if values.is_true(copy.is_made)]
    made.sort(key=lambda copy: (values.of(copy.work.begin), values.of(copy.work.end), copy.tensor))
    return made


def _transfer_order(
    problem: opyard.Problem, copies: Copies, made: list[Copy]
) -> dict[str, list[dict[str, Any]]]:
    order: dict[str, list[dict[str, Any]]] = {}
    for copy in made:
        for channel in copies.channels_of(copy):
            order.setdefault(channel, []).append(_entry(problem, copy))
    return order


def _transfer_priorities(problem: opyard.Problem, made: list[Copy]) -> list[dict[str, Any]]:
    return [
        _entry(problem, copy) | {"priority": len(made) - place} for place, copy in enumerate(made)
    ]


def _entry(problem: opyard.Problem, copy: Copy) -> dict[str, Any]:
    tensor = problem.graph.tensor(copy.tensor)
    device = problem.hardware.device_names[copy.device]
    return {"op": tensor.producer, "output": tensor.output_index, "device": device}
