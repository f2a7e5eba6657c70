"""Schedules that priorities give: no device is idle while an op that is placed there is ready.

A device takes the ready op of the highest priority as soon as it is idle. If priorities fall in the
order of starts, that op is the next to start in the schedule; so a schedule is that of a plan of
priorities if, and only if, it never leaves a device idle with an op ready (a non-delay schedule,
Baker, *Introduction to Sequencing and Scheduling*, 1974).
"""

from __future__ import annotations

from collections.abc import Iterator

from ortools.sat.python import cp_model

from opyard.cp_sat.dependencies import Arrivals
from opyard.cp_sat.instance import Instance
from opyard.cp_sat.model import Literal, ScheduleModel


def conserve_work(schedule: ScheduleModel, arrivals: Arrivals) -> None:
    """Constrains the ops of a model to non-delay schedules.

    An op begins when it is ready, after an idle time or not, or when the op before it has left
    the device. In the first case nothing that the device runs later was ready before.
    """
    model = schedule.solver_model
    ready = arrivals.ready_ticks()
    begins_at_ready = []
    for op, work in enumerate(schedule.ops):
        model.add(work.begin >= ready[op])
        literal = model.new_bool_var(f"at_ready{op}")
        model.add(work.begin == ready[op]).only_enforce_if(literal)
        begins_at_ready.append(literal)
    pairs = list(_pairs(schedule.instance))
    before = {pair: _before(schedule, *pair) for pair in pairs}
    for op in range(schedule.instance.num_ops):
        follows = [_follows(schedule, pair, before) for pair in pairs if pair[1] == op]
        model.add_bool_or(begins_at_ready[op], *follows)
    for first, later in pairs:
        if (later, first) in before:  # else `later` waits for `first`
            overtakes = before[later, first]
            at_ready = begins_at_ready[first]
            waits = model.new_bool_var(f"ready_later{later}than{first}")
            begin = schedule.ops[first].begin
            model.add(ready[later] >= begin).only_enforce_if(waits)
            for is_first, is_later in _shared_devices(schedule, first, later):
                model.add_bool_or(~at_ready, ~is_first, ~is_later, overtakes, waits)


def _pairs(instance: Instance) -> Iterator[tuple[int, int]]:
    """Ops of which the first may run before the second on one device."""
    above = _ancestors(instance)
    for a in range(instance.num_ops):
        for b in range(instance.num_ops):
            if a != b and not above[a] >> b & 1 and _may_share(instance, a, b):
                yield a, b


def _may_share(instance: Instance, a: int, b: int) -> bool:
    return not set(instance.devices_of(a)).isdisjoint(instance.devices_of(b))


def _ancestors(instance: Instance) -> list[int]:
    """[ops]: those that must end before, as a set of bits."""
    above = [0] * instance.num_ops
    direct: list[list[int]] = [[] for _ in range(instance.num_ops)]
    for producer, _, reader in instance.data_edges():
        direct[reader].append(producer)
    for producer, reader in instance.control_edges:
        direct[reader].append(producer)
    for op in sorted(range(instance.num_ops), key=instance.rank.__getitem__):
        for producer in direct[op]:
            above[op] |= above[producer] | 1 << producer
    return above


def _shared_devices(schedule: ScheduleModel, a: int, b: int) -> list[tuple[Literal, Literal]]:
    places = schedule.place
    return [(places[a][d], places[b][d]) for d in places[a] if d in places[b]]


def _before(schedule: ScheduleModel, a: int, b: int) -> cp_model.IntVar:
    """True only if both run on one device, `a` first."""
    model = schedule.solver_model
    literal = model.new_bool_var(f"before{a}:{b}")
    for d in schedule.place[a].keys() | schedule.place[b].keys():
        here, there = schedule.place[a].get(d), schedule.place[b].get(d)
        if here is None:
            model.add_implication(literal, ~there)
        elif there is None:
            model.add_implication(literal, ~here)
        else:
            model.add_bool_or(~literal, ~here, there)
    for tick, where in schedule.free_ticks(a):
        model.add(schedule.ops[b].begin >= tick).only_enforce_if(literal, *where)
    return literal


def _follows(
    schedule: ScheduleModel,
    pair: tuple[int, int],
    before: dict[tuple[int, int], cp_model.IntVar],
) -> cp_model.IntVar:
    """True only if the second op begins when the device has rested from the first."""
    model = schedule.solver_model
    literal = model.new_bool_var(f"follows{pair[0]}:{pair[1]}")
    model.add_implication(literal, before[pair])
    for tick, where in schedule.free_ticks(pair[0]):
        model.add(schedule.ops[pair[1]].begin == tick).only_enforce_if(literal, *where)
    return literal
