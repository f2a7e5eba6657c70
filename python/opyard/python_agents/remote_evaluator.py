"""The evaluator that an agent is given: it asks opyard, which evaluates and counts."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from opyard import _core
from opyard.python_agents.channel import Channel

if TYPE_CHECKING:
    from opyard._core import _Evaluation, _Integers

# The limits of one message: a quarter of the characters and of the numbers that opyard takes.
_MOST_CHARACTERS = 1 << 25
_MOST_NUMBERS = 1 << 22
# The decisions of a plan, as its properties name them.
_DECISIONS = (
    "placement",
    "queue",
    "op_priority",
    "fusion_priority",
    "fusion_region",
    "order",
    "transfer_order",
    "transfer_priority",
)


class BudgetSpent(Exception):  # noqa: N818 (no error: the search is over)
    """No further plan is evaluated. An agent need not catch it: its search is over then."""


class RemoteEvaluator:
    """Evaluates plans as `opyard.Evaluator` does, but in the process of opyard.

    That process counts them, enforces the budget and keeps the best. The first plans beyond the
    budget are left out of the answer, as by `opyard.Evaluator`; to ask again ends the search.
    """

    def __init__(
        self,
        problem: _core.Problem,
        channel: Channel,
        *,
        evaluations: int | None,
        seconds: float | None,
    ) -> None:
        self.problem = problem
        self.evaluations = evaluations
        """The most plans that are evaluated, or None."""
        self.seconds = seconds
        """The most wall time that the search takes, or None."""
        self.num_evaluations = 0
        """How many plans were evaluated."""
        self.num_failures = 0
        """How many of them did not complete."""
        self.is_done = False
        """True when no further plan will be evaluated."""
        self.used_share = 0.0
        """How much of the budget is used, from 0 to 1; 0 without a budget."""
        self.best_plan: _core.Plan | None = None
        """The best plan so far, the earlier of equals; None while none completes."""
        self.best: _Evaluation | None = None
        """What `evaluate` said of it."""
        self._channel = channel

    def evaluate(self, plans: Sequence[_core.Plan]) -> list[_Evaluation]:
        """Evaluates plans in order; many at a time are evaluated side by side.

        Args:
            plans: A list of plans.

        Returns:
            One dict per plan that was evaluated, fewer than plans when the budget ends:
            ``outcome``, ``score`` (lower is better; infinite if the plan did not complete),
            ``makespan_s``, ``peak_memory_bytes``, ``transfers``.

        Raises:
            PlanError: A plan does not fit; those before it are evaluated and remembered.
            BudgetSpent: The budget was spent before.
        """
        plans = list(plans)
        for plan in plans:
            if not isinstance(plan, _core.Plan):
                raise TypeError(f"plans: found {type(plan).__name__}, expected plans")
        if self.is_done and plans:
            raise BudgetSpent
        evaluated: list[_Evaluation] = []
        for batch in _batches(plans):
            if self.is_done:
                break
            evaluated += self._ask(batch, plans[len(evaluated) :])
        return evaluated

    def evaluate_actions(self, actions: Sequence[_Integers]) -> list[_Evaluation]:
        """Evaluates the plans that actions stand for, as `evaluate` does.

        Args:
            actions: [plans, decisions], of any integer type: an array, or a list of lists.

        Raises:
            PlanError: An action is not legal; none is evaluated.
            BudgetSpent: The budget was spent before.
        """
        return self.evaluate([self.problem.plan_of_action(action) for action in actions])

    def _ask(self, batch: list[str], plans: list[_core.Plan]) -> list[_Evaluation]:
        self._channel.send_text('{"evaluate":[' + ",".join(batch) + "]}")
        answer = self._channel.receive()
        for name in ("num_evaluations", "num_failures", "is_done", "used_share"):
            setattr(self, name, answer[name])
        evaluated = [_evaluation_of(figures) for figures in answer["evaluations"]]
        for plan, evaluation in zip(plans, evaluated, strict=False):
            self._remember(plan, evaluation)
        if answer["illegal"] is not None:
            raise _core.PlanError(answer["illegal"])
        return evaluated

    def _remember(self, plan: _core.Plan, evaluation: _Evaluation) -> None:
        best = self.best["score"] if self.best is not None else math.inf
        if evaluation["score"] < best:
            self.best_plan = plan
            self.best = evaluation


def _evaluation_of(figures: list[Any]) -> _Evaluation:
    """An evaluation as `opyard.Evaluator` gives it; JSON has no infinity."""
    outcome, score, makespan_s, peak_memory_bytes, transfers = figures
    return {
        "outcome": outcome,
        "score": math.inf if score is None else score,
        "makespan_s": makespan_s,
        "peak_memory_bytes": peak_memory_bytes,
        "transfers": transfers,
    }


def _batches(plans: list[_core.Plan]) -> Iterator[list[str]]:
    """The plans as JSON, in batches of bounded size."""
    batch: list[str] = []
    characters = 0
    numbers = 0
    for plan in plans:
        text, count = _text_of(plan)
        is_full = characters + len(text) > _MOST_CHARACTERS or numbers + count > _MOST_NUMBERS
        if batch and is_full:
            yield batch
            batch, characters, numbers = [], 0, 0
        batch.append(text)
        characters += len(text)
        numbers += count
    if batch:
        yield batch


def _text_of(plan: _core.Plan) -> tuple[str, int]:
    """A plan as JSON, and how many numbers it has."""
    decisions: dict[str, Any] = {name: getattr(plan, name) for name in _DECISIONS}
    by_op = ("placement", "op_priority", "fusion_priority", "fusion_region")
    numbers = sum(len(decisions[name]) for name in by_op)
    numbers += 4 * len(decisions["transfer_priority"])
    numbers += sum(1 + len(stream) for streams in decisions["order"] for stream in streams)
    numbers += sum(1 + 3 * len(copies) for copies in decisions["transfer_order"].values())
    return json.dumps(decisions, separators=(",", ":")), numbers
