"""Plans of other agents, at which agents in Python begin."""

from __future__ import annotations

from collections.abc import Iterable

import opyard


def heuristic_plan(
    problem: opyard.Problem, agent: str, tasks: Iterable[str], *, evaluations: int, seed: int
) -> opyard.Plan | None:
    """The best plan of another agent for the same problem, in its default queue; None without one.

    Args:
        problem: The problem.
        agent: The name of the agent.
        tasks: The decisions of the caller; the agent makes those that are tasks of the problem.
        evaluations: The most plans that it evaluates, on one thread; they count in no budget.
        seed: Fixes its random choices.

    Raises:
        opyard.Error: As `opyard.place`.
    """
    return opyard.place(
        problem.graph,
        problem.hardware,
        agent=agent,
        tasks=[task for task in tasks if task in problem.tasks],
        objective=problem.objective,
        group="none" if problem.group in ("group", "op") else problem.group,
        fusion=problem.fusion,
        devices=problem.devices,
        cost_model=problem.cost_model,
        contiguous=problem.contiguous,
        evaluations=evaluations,
        seed=seed,
        threads=1,
    ).plan
