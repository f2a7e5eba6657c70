"""The model of a schedule: where each op runs and when, and what devices and edges allow.

Time is counted in ticks, `rounds` of them per unit. The simulator repeats an instant until nothing
changes (docs/modelling.md, "Instants"): work that takes no time ends one tick later in the same
instant, all other work on an instant's first tick. With one round, ticks are units and work
without duration ends where it begins; no constraint then says more than that of the instants.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from ortools.sat.python import cp_model

from opyard.cp_sat.instance import Instance

Expression: TypeAlias = cp_model.LinearExprT
Literal: TypeAlias = cp_model.LiteralT


@dataclass(frozen=True)
class Work:
    """An op or a transfer in time."""

    start: Expression
    """The instant of its start."""
    finish: Expression
    """The instant of its end."""
    begin: Expression
    """The tick of its start."""
    end: Expression
    """The tick of its end."""


class ScheduleModel:
    """Variables and constraints that all modes share.

    Args:
        instance: The problem.
        rounds: Ticks of an instant: 1, or more than any instant has rounds.
    """

    def __init__(self, instance: Instance, rounds: int) -> None:
        self.instance = instance
        self.rounds = rounds
        self.solver_model = cp_model.CpModel()
        self.last_tick = (instance.horizon + 1) * rounds
        self.place = [self._places_of(op) for op in range(instance.num_ops)]
        """[ops], by device: True where the op runs."""
        self.ops = [self._op(op) for op in range(instance.num_ops)]
        self.makespan = self.instant_variable("makespan")
        self._end_ops()
        self._share_devices()
        self._keep_labels_together()
        if instance.has_equal_devices:
            self._number_devices_in_order()

    def instant_variable(self, name: str) -> cp_model.IntVar:
        """An instant of the run."""
        return self.solver_model.new_int_var(0, self.instance.horizon, name)

    def tick_variable(self, name: str, start: Expression | None = None) -> cp_model.IntVar:
        """A tick of the run, one of the instant `start` if that is given."""
        tick = self.solver_model.new_int_var(0, self.last_tick, name)
        if start is not None:
            self.solver_model.add_linear_constraint(tick - self.rounds * start, 0, self.rounds - 1)
        return tick

    def end_after(self, work: Work, duration: int) -> Expression:
        """The tick at which what begins with `work` ends."""
        if self.rounds == 1:
            return work.start + duration
        return self.rounds * (work.start + duration) if duration > 0 else work.begin + 1

    def after(self, work: Work, delay: int, delay_of_none: int = 0) -> Expression:
        """The tick at which what `work` sends arrives `delay` later, `delay_of_none` if that is 0.

        The latter is the tick of a transfer that takes no time.
        """
        if self.rounds == 1:
            return work.finish + delay
        return self.rounds * (work.finish + delay) if delay > 0 else work.end + delay_of_none

    def both(self, a: Literal, b: Literal, name: str) -> cp_model.IntVar:
        """A literal that is true where `a` and `b` are."""
        literal = self.solver_model.new_bool_var(name)
        self.solver_model.add_bool_and(a, b).only_enforce_if(literal)
        self.solver_model.add_bool_or(literal, ~a, ~b)
        return literal

    def for_each_delay(
        self,
        producer: int,
        reader: int,
        delays: list[list[int]],
        add: Callable[[int | None, list[Literal]], None],
    ) -> None:
        """Calls `add` for each delay between two ops, None on one device, and where it holds.

        Args:
            producer: The op that is waited for.
            reader: The op that waits.
            delays: [devices, devices].
            add: Takes the delay, and the literals that together make it hold.
        """
        sources, places = self.place[producer], self.place[reader]
        for d, is_here in places.items():
            if d in sources:
                add(None, [is_here, sources[d]])
            elsewhere = [s for s in sources if s != d]
            times = {delays[s][d] for s in elsewhere}
            if len(times) == 1 and d in sources:
                add(times.pop(), [is_here, ~sources[d]])
            else:
                for s in elsewhere:
                    add(delays[s][d], [is_here, sources[s]])

    def _places_of(self, op: int) -> dict[int, cp_model.IntVar]:
        devices = self.instance.devices_of(op)
        places = {d: self.solver_model.new_bool_var(f"op{op}@{d}") for d in devices}
        self.solver_model.add_exactly_one(places.values())
        return places

    def _op(self, op: int) -> Work:
        durations = {self.instance.duration[op][d] for d in self.place[op]}
        start = self.instant_variable(f"start{op}")
        self.solver_model.add(start >= self.instance.earliest[op])
        begin = start if self.rounds == 1 else self.tick_variable(f"begin{op}", start)
        work = Work(start, start, begin, begin)
        if len(durations) == 1:
            (duration,) = durations
            return Work(start, start + duration, begin, self.end_after(work, duration))
        finish = self.instant_variable(f"finish{op}")
        end = finish if self.rounds == 1 else self.tick_variable(f"end{op}")
        for d, is_here in self.place[op].items():
            duration = self.instance.duration[op][d]
            self.solver_model.add(finish == start + duration).only_enforce_if(is_here)
            self.solver_model.add(end == self.end_after(work, duration)).only_enforce_if(is_here)
        return Work(start, finish, begin, end)

    def _end_ops(self) -> None:
        for work in self.ops:
            self.solver_model.add(self.makespan >= work.finish)

    def free_tick(self, op: int, device: int) -> Expression:
        """The tick at which the device has rested from the op."""
        duration = self.instance.duration[op][device]
        rest = self.instance.op_gap if duration > 0 else 0
        return self.end_after(self.ops[op], duration + rest)

    def free_ticks(self, op: int) -> list[tuple[Expression, list[Literal]]]:
        """The ticks of `free_tick`, each with the literals that together make it hold."""
        instance = self.instance
        if len({instance.duration[op][d] for d in self.place[op]}) == 1:
            return [(self.free_tick(op, next(iter(self.place[op]))), [])]
        return [(self.free_tick(op, d), [is_here]) for d, is_here in self.place[op].items()]

    def _share_devices(self) -> None:
        """One op at a time on each device, and over all no more than there are."""
        for d in range(self.instance.num_devices):
            self.solver_model.add_no_overlap(
                [self._run(op, d) for op, places in enumerate(self.place) if d in places]
            )
        if self.instance.num_devices > 1 and self.rounds == 1:
            least = [min(row[d] for d in row_places) for row, row_places in self._rows()]
            runs = [
                self.solver_model.new_fixed_size_interval_var(work.start, duration, "")
                for work, duration in zip(self.ops, least, strict=True)
            ]
            demands = [1] * len(runs)
            self.solver_model.add_cumulative(runs, demands, self.instance.num_devices)

    def _rows(self) -> list[tuple[list[int], dict[int, cp_model.IntVar]]]:
        return list(zip(self.instance.duration, self.place, strict=True))

    def _run(self, op: int, device: int) -> cp_model.IntervalVar:
        """The time that the op takes on the device, and the rest after it."""
        end = self.free_tick(op, device)
        duration = self.instance.duration[op][device]
        length = duration + (self.instance.op_gap if duration > 0 else 0)
        name = f"run{op}@{device}"
        is_here = self.place[op][device]
        known = length if self.rounds == 1 else None
        return self.interval(self.ops[op].begin, end, is_here, name, known)

    def interval(
        self,
        begin: Expression,
        end: Expression,
        is_there: Literal,
        name: str,
        length: int | None = None,
    ) -> cp_model.IntervalVar:
        """An interval of ticks that is there where the literal is true.

        Args:
            begin: Its first tick.
            end: The tick after its last.
            is_there: The literal.
            name: Of the interval.
            length: `end` - `begin`, where it is known.
        """
        size: Expression = length if length is not None else self.tick_variable(f"length {name}")
        return self.solver_model.new_optional_interval_var(begin, size, end, is_there, name)

    def _keep_labels_together(self) -> None:
        for first, *others in self.instance.labels:
            for op in others:
                for d in range(self.instance.num_devices):
                    here, there = self.place[first].get(d), self.place[op].get(d)
                    if here is not None and there is not None:
                        self.solver_model.add(here == there)
                    elif (one := here if there is None else there) is not None:
                        self.solver_model.add(one == 0)

    def _number_devices_in_order(self) -> None:
        """Of plans that differ by the names of equal devices, one is left."""
        by_rank = sorted(range(self.instance.num_ops), key=self.instance.rank.__getitem__)
        for d in range(1, self.instance.num_devices):
            earlier: list[Literal] = []
            for op in by_rank:
                if d in self.place[op]:
                    self.solver_model.add_bool_or(*earlier, ~self.place[op][d])
                if d - 1 in self.place[op]:
                    earlier.append(self.place[op][d - 1])
