"""Transfers that wait: without orders of channels never while all of these are free.

A model lets transfers wait, which only plans with `transfer_order` can do. Where a solution has one
wait in vain, `forbid_idle_waits` adds what keeps that one from it, and the model is solved again:
most solutions need none of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ortools.sat.python import cp_model

from opyard.cp_sat.copies import Copies, Copy
from opyard.cp_sat.model import Literal, ScheduleModel
from opyard.cp_sat.schedule import Values


@dataclass(frozen=True)
class IdleWait:
    """A transfer that could have begun at the offer, or when `blocker` left its channels."""

    copy: Copy
    blocker: Copy | None


def forbid_idle_waits(schedule: ScheduleModel, copies: Copies, values: Values) -> int:
    """Adds constraints against the waits in vain of a solution; returns how many there are."""
    waits = list(_idle_waits(copies, values))
    for wait in waits:
        _forbid(schedule, copies, wait)
    return len(waits)


def _idle_waits(copies: Copies, values: Values) -> Iterator[IdleWait]:
    for copy in copies.all:
        if not values.is_true(copy.is_made):
            continue
        begin, offer = values.of(copy.work.begin), values.of(copy.offer.end)
        others = [c for c in copies.conflicts_of(copy) if values.is_true(c.is_made)]
        spans = [(values.of(c.work.begin), values.of(c.free)) for c in others]
        instants = [(offer, None), *((span[1], c) for span, c in zip(spans, others, strict=True))]
        for instant, blocker in instants:
            is_free = not any(first <= instant < last for first, last in spans)
            if offer <= instant < begin and is_free:
                yield IdleWait(copy, blocker)


def _forbid(schedule: ScheduleModel, copies: Copies, wait: IdleWait) -> None:
    """The transfer begins by that instant, or another one has a channel of its own then."""
    model = schedule.solver_model
    copy, blocker = wait.copy, wait.blocker
    if blocker is None:
        instant, excuses = copy.offer.end, [~copy.is_made]
    else:
        instant = blocker.free
        is_early = model.new_bool_var("")
        model.add(instant <= copy.offer.end - 1).only_enforce_if(is_early)
        excuses = [~copy.is_made, ~blocker.is_made, is_early]
    has_begun = model.new_bool_var("")
    model.add(copy.work.begin <= instant).only_enforce_if(has_begun)
    occupied = [_occupies(model, other, instant) for other in copies.conflicts_of(copy)]
    model.add_bool_or(has_begun, *excuses, *occupied)


def _occupies(model: cp_model.CpModel, copy: Copy, instant: cp_model.LinearExprT) -> Literal:
    """True only if the copy occupies its channels then."""
    literal = model.new_bool_var("")
    model.add_implication(literal, copy.is_made)
    model.add(copy.work.begin <= instant).only_enforce_if(literal)
    model.add(copy.free >= instant + 1).only_enforce_if(literal)
    return literal
