"""A solution as a plan."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

import opyard
from opyard import _core
from opyard.cp_sat.copies import Copies
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
        plan["transfer_priority"] = _transfer_priorities(problem, copies, values)
    text = json.dumps(plan).encode()
    return _core.read_plan(text, "the plan of cp_sat", problem.graph, problem.hardware)


def _transfer_priorities(
    problem: opyard.Problem, copies: Copies, values: Values
) -> list[dict[str, Any]]:
    made = [copy for copy in copies.all if values.is_true(copy.is_made)]
    made.sort(key=lambda copy: (values.of(copy.work.begin), values.of(copy.work.end), copy.tensor))
    names = problem.hardware.device_names
    entries = []
    for place, copy in enumerate(made):
        tensor = problem.graph.tensor(copy.tensor)
        entries.append(
            {
                "op": tensor.producer,
                "output": tensor.output_index,
                "device": names[copy.device],
                "priority": len(made) - place,
            }
        )
    return entries
