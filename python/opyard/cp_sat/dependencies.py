"""The edges of the graph: when an op is ready."""

from __future__ import annotations

from ortools.sat.python import cp_model

from opyard.cp_sat.copies import Copies
from opyard.cp_sat.model import Expression, Literal, ScheduleModel


class Arrivals:
    """The ticks at which the inputs of ops arrive.

    Args:
        schedule: The model.
        copies: Its transfers; None where each begins when it is offered and takes no memory.
    """

    def __init__(self, schedule: ScheduleModel, copies: Copies | None) -> None:
        self.schedule = schedule
        self.copies = copies
        self._inputs: list[list[tuple[Expression, list[Literal]]]] = [
            [] for _ in range(schedule.instance.num_ops)
        ]
        for producer, tensor, reader in schedule.instance.data_edges():
            self._add_data(producer, tensor, reader)
        for producer, reader in schedule.instance.control_edges:
            self._add_control(producer, reader)

    def make_ops_wait(self) -> None:
        """No op begins before its inputs are there."""
        for op, inputs in enumerate(self._inputs):
            for arrival, literals in inputs:
                bound = self.schedule.solver_model.add(self.schedule.ops[op].begin >= arrival)
                bound.only_enforce_if(literals)

    def ready_ticks(self) -> list[cp_model.IntVar]:
        """[ops]: the tick at which the op is ready, that of its last input or of its release."""
        return [self._ready_tick(op) for op in range(self.schedule.instance.num_ops)]

    def _ready_tick(self, op: int) -> cp_model.IntVar:
        """One variable per input would do; the last input is one of them, and none is later."""
        model = self.schedule.solver_model
        ready = self.schedule.tick_variable(f"ready{op}")
        earliest = self.schedule.rounds * self.schedule.instance.earliest[op]
        model.add(ready >= earliest)
        is_last = [model.new_bool_var(f"last{op}release")]
        model.add(ready == earliest).only_enforce_if(is_last[0])
        for i, (arrival, literals) in enumerate(self._inputs[op]):
            model.add(ready >= arrival).only_enforce_if(literals)
            last = model.new_bool_var(f"last{op}input{i}")
            model.add(ready == arrival).only_enforce_if(last)
            for literal in literals:
                model.add_implication(last, literal)
            is_last.append(last)
        model.add_bool_or(is_last)
        return ready

    def _add_data(self, producer: int, tensor: int, reader: int) -> None:
        schedule = self.schedule
        work = schedule.ops[producer]
        inputs = self._inputs[reader]
        if self.copies is None or not any(map(any, schedule.instance.channels)):
            delays = schedule.instance.move[tensor]

            def add(delay: int | None, literals: list[Literal]) -> None:
                arrival = work.end if delay is None else schedule.after(work, delay, 1)
                inputs.append((arrival, literals))

            schedule.for_each_delay(producer, reader, delays, add)
            return
        for d, is_here in schedule.place[reader].items():
            if d in schedule.place[producer]:
                inputs.append((work.end, [is_here, schedule.place[producer][d]]))
            for copy in self.copies.of(tensor, d):
                inputs.append((copy.work.end, [is_here, copy.is_made]))

    def _add_control(self, producer: int, reader: int) -> None:
        work = self.schedule.ops[producer]

        def add(delay: int | None, literals: list[Literal]) -> None:
            self._inputs[reader].append((self.schedule.after(work, delay or 0), literals))

        self.schedule.for_each_delay(producer, reader, self.schedule.instance.latency, add)
