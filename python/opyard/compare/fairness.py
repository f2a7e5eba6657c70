"""Under which conditions the runs of a comparison were made, and what speaks against it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from opyard import _core
from opyard.compare.matrix import Matrix
from opyard.compare.run import DEFAULT_COST_MODEL, Run

FEWEST_SEEDS = 5


def _grouped(matrix: Matrix, describe: Callable[[Run], str]) -> dict[str, list[str]]:
    """The descriptions of runs, and their agents."""
    groups: dict[str, list[str]] = {}
    for agent in matrix.agents:
        for text in dict.fromkeys(describe(run) for run in matrix.runs_of(agent)):
            groups.setdefault(text, []).append(agent)
    return groups


def _told(what: str, groups: dict[str, list[str]]) -> str:
    if len(groups) == 1:
        return f"{what}: {next(iter(groups))}"
    parts = (f"{text} ({', '.join(agents)})" for text, agents in groups.items())
    return f"{what}: {'; '.join(parts)}"


def budget_text(run: Run) -> str:
    """The budget of a run in words."""
    budget = run.settings.get("budget", {})
    parts = []
    if budget.get("evaluations") is not None:
        parts.append(f"{budget['evaluations']} evaluations")
    if budget.get("seconds") is not None:
        parts.append(f"{budget['seconds']:g} s")
    return " or ".join(parts) or "none"


def _units_text(run: Run) -> str:
    if run.settings.get("decide_per") == "op":
        return "single ops"
    most = run.settings.get("max_groups", "?")
    if most == 0:
        return "groups of ops, at most 512; searches on levels: up to single groups"
    return f"groups of ops, at most {most}"


def fairness_lines(matrix: Matrix) -> list[str]:
    """Budget, threads, units of decision, seeds and versions of the runs."""
    seeds: dict[str, list[str]] = {}
    for agent in matrix.agents:
        seeds.setdefault(str(len(_seeds(matrix.runs_of(agent)))), []).append(agent)
    return [
        "machines: " + ", ".join(matrix.machines().values()),
        _told("budget of a run", _grouped(matrix, budget_text)),
        _told(
            "cores that evaluate plans in a run (threads of its evaluator)",
            _grouped(matrix, lambda run: str(run.threads)),
        ),
        _told("decided together", _grouped(matrix, _units_text)),
        _told("seeds", seeds),
        *_start_lines(matrix),
        *_cost_model_lines(matrix),
        _told("opyard", _grouped(matrix, lambda run: run.version)),
    ]


def _starts(matrix: Matrix) -> dict[str, list[str]]:
    """Where searches begin, and which agents; without those that build plans or do not say."""
    groups = _grouped(matrix, lambda run: run.start or "")
    return {start: agents for start, agents in groups.items() if start}


def _start_text(start: str) -> str:
    meaning = _core.describe_start(start)
    return meaning if meaning == start else f"{meaning}, start: {start}"


def _start_lines(matrix: Matrix) -> list[str]:
    parts = [
        f"{', '.join(agents)} at {_start_text(start)}" for start, agents in _starts(matrix).items()
    ]
    return [f"searches begin: {'; '.join(parts)}"] if parts else []


def _cost_model_lines(matrix: Matrix) -> list[str]:
    """Where it is not the default; a matrix has one."""
    groups = _grouped(matrix, lambda run: run.cost_model)
    return [] if set(groups) == {DEFAULT_COST_MODEL} else [_told("cost model", groups)]


def _seeds(runs: Iterable[Run]) -> set[int]:
    return {run.seed for run in runs}


def agents_with_few_seeds(matrix: Matrix) -> list[str]:
    """The agents that sample, and have runs with too few seeds for intervals that hold."""
    return [
        agent
        for agent in matrix.agents
        if agent not in matrix.deterministic
        and 0 < len(_seeds(matrix.runs_of(agent))) < FEWEST_SEEDS
    ]


def warnings_of(matrix: Matrix) -> list[str]:
    """The reservations that a reader has to know before he believes the figures."""
    warnings = []
    few = agents_with_few_seeds(matrix)
    if few:
        warnings.append(
            f"fewer than {FEWEST_SEEDS} seeds ({', '.join(few)}): their intervals are rough, most "
            "likely too narrow"
        )
    missing = sum(len(seeds) for seeds in matrix.missing.values())
    if missing:
        warnings.append(
            f"{missing} runs are missing: `opyard run --resume` makes them; until then means are "
            "over fewer runs"
        )
    for what, describe in (
        ("budgets", budget_text),
        ("threads", lambda run: str(run.threads)),
        ("versions of opyard", lambda run: run.version),
        ("units of decision", _units_text),
    ):
        if len(_grouped(matrix, describe)) > 1:
            warnings.append(f"runs have different {what}: see the conditions")
    if len(_starts(matrix)) > 1:
        parts = "; ".join(
            f"{', '.join(agents)} at {_core.describe_start(start)}"
            for start, agents in _starts(matrix).items()
        )
        warnings.append(
            f"searches begin differently ({parts}): what they reach also depends on that; the "
            "parameter `start` sets it"
        )
    for agent in matrix.agents:
        if len({(run.agent_name, run.params) for run in matrix.runs_of(agent)}) > 1:
            warnings.append(f"{agent}: its runs have different parameters")
    return warnings
