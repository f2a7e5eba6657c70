"""The agent `cp_sat`, as opyard runs it. Importing it needs no OR-Tools."""

from __future__ import annotations

import contextlib
import importlib.util
import time
from typing import TYPE_CHECKING, Annotated, Literal

import opyard
from opyard.cp_sat.support import refuse_unsupported
from opyard.python_agents import BudgetSpent
from opyard.python_agents.heuristic_plan import heuristic_plan

if TYPE_CHECKING:
    from opyard.cp_sat.solving import Limits, Proof
    from opyard.python_agents import RemoteEvaluator

_INSTALL = "pip install 'opyard[exact]'"


class CpSatAgent:
    """Solves the problem as a constraint program, by the CP-SAT solver of OR-Tools, until it has
    proven that no schedule is better or its time is over: all schedules, also those that leave
    devices idle while ops are ready, or those of priorities alone.

    It needs the extra `exact`.
    """  # noqa: D205 (one sentence, which `opyard agents show` prints)

    tasks = ("placement", "scheduling")
    start = "rules"
    paper = "Perron, Didier and Gay, CP 2023 (CP-SAT-LP)"
    missing = "" if importlib.util.find_spec("ortools") else f"OR-Tools ({_INSTALL})."
    deviations = ()

    def __init__(
        self,
        mode: Annotated[
            Literal["relaxed", "plans"],
            "relaxed: all schedules, plans with sequences (queue: order); plans: schedules that "
            "priorities give",
        ] = "relaxed",
        time_limit_s: Annotated[float, "seconds that the solver may take", (0.1, 1e6)] = 30.0,
        workers: Annotated[int, "threads of the solver; one repeats its course", (1, 64)] = 1,
        hint: Annotated[
            Literal["none", "heft"], "heuristic whose plan the solver begins at"
        ] = "heft",
    ) -> None:
        self.mode = mode
        self.time_limit_s = time_limit_s
        self.workers = workers
        self.hint = hint
        self.bound: float | None = None
        """After a search: no plan of the mode scores less; None if nothing is proven."""
        self.value: float | None = None
        """After a search: the value of the solver's best schedule, None without one."""
        self.account = ""
        """After a search: what is proven, in one line."""

    def search(
        self,
        problem: opyard.Problem,
        evaluator: RemoteEvaluator | opyard.Evaluator,
        seed: int,
    ) -> None:
        """Evaluates the plan of the hint, and that of each better schedule that the solver finds.

        Raises:
            opyard.InputError: OR-Tools is missing.
            opyard.UnsupportedError: The problem has rules that the model lacks, or is too large.
        """
        begin = time.monotonic()
        refuse_unsupported(problem, self.mode)
        solving = _solving()

        def take_plan(plan: opyard.Plan) -> float | None:
            with contextlib.suppress(BudgetSpent):
                found = evaluator.evaluate([plan])
                return found[0]["score"] if found and not evaluator.is_done else None
            return None

        budget_s = getattr(evaluator, "seconds", None)
        seconds = self.time_limit_s if budget_s is None else min(self.time_limit_s, budget_s)

        def limits() -> Limits:
            left = max(0.0, seconds - (time.monotonic() - begin))
            return solving.Limits(seconds=left, workers=self.workers, seed=seed)

        solver = solving.Solver(problem, self.mode, take_plan)
        hint = self._hint_for(problem, seed)
        if hint is not None:
            found = evaluator.evaluate([hint])  # nothing where the budget is spent
            if found and found[0]["outcome"] == "completed":
                solver.begin_at(hint, found[0]["score"], limits())
        if evaluator.is_done:
            return
        proof = solver.solve(limits())
        self.bound, self.value = proof.bound, proof.value
        self.account = _account_of(proof, self.mode)

    def _hint_for(self, problem: opyard.Problem, seed: int) -> opyard.Plan | None:
        """The plan that the solver begins at, if there is one."""
        if self.hint == "none":
            return None
        return heuristic_plan(problem, self.hint, self.tasks, evaluations=1, seed=seed)


def _solving():  # noqa: ANN202 (the module)
    try:
        from opyard.cp_sat import solving
    except ImportError as error:
        raise opyard.InputError(
            f"cp_sat needs OR-Tools ({error}); install it: {_INSTALL}"
        ) from error
    return solving


def _account_of(proof: Proof, mode: str) -> str:
    which = "plan" if mode == "relaxed" else "plan of priorities"
    if proof.bound is None:
        return "proved nothing"
    state = "optimal" if proof.is_optimal else "no plan found that reaches it"
    return f"proved that no {which} scores less than {proof.bound:.6g} ({state})"
