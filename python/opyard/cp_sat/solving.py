"""The search: a model is made, solved within the time, and solved again where a transfer waits."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from ortools.sat.python import cp_model

import opyard
from opyard.cp_sat.copies import Copies
from opyard.cp_sat.dependencies import Arrivals
from opyard.cp_sat.instance import PICOSECONDS, instance_of
from opyard.cp_sat.memory import Memory
from opyard.cp_sat.model import ScheduleModel
from opyard.cp_sat.schedule import Values, plan_of
from opyard.cp_sat.transfer_waits import forbid_idle_waits
from opyard.cp_sat.work_conservation import conserve_work

TakePlan = Callable[[opyard.Plan], float | None]
"""Takes a plan, gives its score; None ends the search."""


@dataclass(frozen=True)
class Limits:
    """What a solver may use."""

    seconds: float
    workers: int
    seed: int
    takes_turns: bool = False
    """One thread follows several strategies in turn."""


@dataclass(frozen=True)
class Proof:
    """What is proven in the end."""

    bound: float | None
    """No plan of the mode scores less, in seconds or in bytes; None if nothing is proven."""
    is_optimal: bool
    """True if a plan, when simulated, reaches it."""
    value: float | None
    """The value of that schedule."""


class Solver:
    """One problem, its model, and what it finds.

    Args:
        problem: A problem that `support.refuse_unsupported` lets pass.
        mode: ``"relaxed"`` or ``"plans"``.
        take_plan: Called with the plan of each better solution.
    """

    def __init__(self, problem: opyard.Problem, mode: str, take_plan: TakePlan) -> None:
        self.problem = problem
        self.mode = mode
        self.take_plan = take_plan
        self._bound = -math.inf
        self._best = math.inf
        self.instance = instance_of(problem)
        self.schedule = ScheduleModel(self.instance, self._num_rounds())
        self.has_channels = any(map(any, self.instance.channels))
        counts_memory = problem.objective == "peak_memory" or self.instance.capacity is not None
        self.copies: Copies | None = None
        if self.has_channels or counts_memory:
            self.copies = Copies(self.schedule)
        arrivals = Arrivals(self.schedule, self.copies)
        arrivals.make_ops_wait()
        if mode == "plans":
            conserve_work(self.schedule, arrivals)
        self.objective: cp_model.IntVar = self.schedule.makespan
        if counts_memory:
            self._count_memory()
        self._bound_makespan()
        self.schedule.solver_model.minimize(self.objective)

    def begin_at(self, plan: opyard.Plan, score: float, limits: Limits) -> None:
        """Has the solver begin at a plan that completes with that score, and look for no worse.

        The hint is complete where the other variables follow from the run within the limits.
        """
        model = self.schedule.solver_model
        self._best = score
        self._hint_at_run(plan)
        solver = _solver_of(limits)
        solver.parameters.fix_variables_to_their_hinted_value = True
        if solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            self._hint_at(solver)
        model.add(self.objective <= self._units_of(score))

    def _hint_at_run(self, plan: opyard.Plan) -> None:
        """Hints at the devices and the instants of the simulated plan."""
        run = self.problem.simulate(plan)
        place = plan.placement
        if self.instance.has_equal_devices:
            place = _numbered_in_order(place, self.instance.rank)
        model = self.schedule.solver_model
        for op, figures in enumerate(run["ops"]):
            start = round(figures["start_s"] * PICOSECONDS) // self.instance.time_unit_ps
            for d, is_here in self.schedule.place[op].items():
                model.add_hint(is_here, d == place[op])
            model.add_hint(self.schedule.ops[op].start, start)

    def solve(self, limits: Limits) -> Proof:
        """Solves until it is proven that no schedule is better, or the time is over.

        One thread follows one strategy for a quarter of the time, which proves small problems
        soonest, then takes turns between strategies, neighbourhoods of the incumbent among them.
        """
        end = time.monotonic() + limits.seconds
        stages = [(False, 0.25), (True, 1.0)] if limits.workers == 1 else [(False, 1.0)]
        proof = Proof(None, False, None)
        for takes_turns, share in stages:
            left = max(0.0, end - time.monotonic())
            stage = dataclasses.replace(limits, seconds=share * left, takes_turns=takes_turns)
            proof, is_over = self._solve_stage(stage)
            if is_over:
                break
        return proof

    def _solve_stage(self, limits: Limits) -> tuple[Proof, bool]:
        """What is proven within the limits, and whether nothing is left to do."""
        end = time.monotonic() + limits.seconds
        while True:
            left = max(0.0, end - time.monotonic())
            solver = _solver_of(dataclasses.replace(limits, seconds=left))
            incumbents = _Incumbents(self)
            status = solver.solve(self.schedule.solver_model, incumbents)
            incumbents.raise_error()
            if status == cp_model.MODEL_INVALID:
                raise AssertionError(self.schedule.solver_model.validate())
            if status == cp_model.INFEASIBLE:
                return Proof(None, False, None), True
            # Later models are of fewer schedules.
            self._bound = max(self._bound, math.ceil(solver.best_objective_bound - 1e-6))
            bound = self._score_of(self._bound)
            is_solved = status == cp_model.OPTIMAL
            found = is_solved or status == cp_model.FEASIBLE
            if found:
                self._hint_at(solver)
            is_over = incumbents.is_stopped or self._best <= bound
            if is_solved and self.has_channels and self.mode == "plans" and not is_over:
                assert self.copies is not None
                if forbid_idle_waits(self.schedule, self.copies, Values(solver.value)):
                    continue
            value = self._score_of(solver.objective_value) if found else None
            return Proof(bound, self._best <= bound, value), is_solved or is_over

    def _hint_at(self, solver: cp_model.CpSolver) -> None:
        """Has the next solver begin at the solution of this one."""
        model = self.schedule.solver_model
        model.clear_hints()
        for index in range(len(model.proto.variables)):
            variable = model.get_int_var_from_proto_index(index)
            model.add_hint(variable, solver.value(variable))

    def take_solution(self, values: Values) -> bool:
        """Hands over the plan of a solution; False if the search is to end."""
        plan = plan_of(self.problem, self.schedule, self.copies, values, self.mode)
        score = self.take_plan(plan)
        self._best = min(self._best, math.inf if score is None else score)
        return score is not None

    def _num_rounds(self) -> int:
        """Ticks of an instant: one where rounds cannot matter.

        Each round but the first follows work without duration. Between two ops of that kind there
        is one transfer at most.
        """
        instant_ops = sum(0 in row for row in self.instance.duration)
        if self.mode == "relaxed" and self.problem.objective == "makespan":
            return 1
        if self.instance.num_instant_works == 0:
            return 1
        return 2 + min(self.instance.num_instant_works, 2 * instant_ops + 1)

    def _count_memory(self) -> None:
        assert self.copies is not None
        memory = Memory(self.schedule, self.copies)
        capacity = self.instance.capacity
        if self.problem.objective == "peak_memory":
            most = memory.most_bytes() if capacity is None else max(capacity)
            self.objective = self.schedule.solver_model.new_int_var(0, most, "peak")
        for d in range(self.instance.num_devices):
            if self.problem.objective == "peak_memory":
                memory.limit(d, self.objective)
            if capacity is not None:
                memory.limit(d, capacity[d])

    def _bound_makespan(self) -> None:
        bound_ps = round(self.problem.problem_bound_s * PICOSECONDS)
        least = math.ceil(bound_ps / self.instance.time_unit_ps)
        self.schedule.solver_model.add(self.schedule.makespan >= least)

    def _score_of(self, value: float) -> float:
        """A value of the objective in seconds or bytes."""
        if self.problem.objective == "makespan":
            return round(value) * self.instance.time_unit_ps / PICOSECONDS
        return float(round(value) * self.instance.byte_unit)

    def _units_of(self, score: float) -> int:
        if self.problem.objective == "makespan":
            return round(score * PICOSECONDS) // self.instance.time_unit_ps
        return round(score) // self.instance.byte_unit


def _solver_of(limits: Limits) -> cp_model.CpSolver:
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = limits.seconds
    solver.parameters.num_workers = limits.workers
    solver.parameters.random_seed = limits.seed % 2**31
    solver.parameters.interleave_search = limits.takes_turns
    return solver


def _numbered_in_order(placement: list[int], rank: list[int]) -> list[int]:
    """The same placement, devices named in the order in which ops of rising rank use them."""
    names: dict[int, int] = {}
    for op in sorted(range(len(placement)), key=rank.__getitem__):
        names.setdefault(placement[op], len(names))
    return [names[d] for d in placement]


class _Incumbents(cp_model.CpSolverSolutionCallback):
    """Hands over each better solution while the solver goes on."""

    def __init__(self, search: Solver) -> None:
        super().__init__()
        self.is_stopped = False
        self._search = search
        self._error: BaseException | None = None

    def on_solution_callback(self) -> None:
        if self._error is not None or self.is_stopped:
            return
        try:
            self.is_stopped = not self._search.take_solution(Values(self.value))
        except BaseException as error:  # it must not pass through the solver's own code
            self._error = error
        if self._error is not None or self.is_stopped:
            self.stop_search()

    def raise_error(self) -> None:
        """Raises what a plan's evaluation raised, if it did."""
        if self._error is not None:
            raise self._error
