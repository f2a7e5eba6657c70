"""A program beside controls, on the workloads of a folder and on hidden ones."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path

from opyard.tasks.evaluation import outcomes_of, read_program
from opyard.tasks.hidden import found_by, hidden_problems, with_best_known
from opyard.tasks.sandbox import Limits
from opyard.tasks.workloads import Workload, read_workloads

SEED_PROGRAM = Path(__file__).parent / "folder" / "initial_program.py"
REFERENCE_EVALUATIONS = 20_000
_RULES = ("heft", "metis", "single_device")
_RULE_EVALUATIONS = 64


@dataclasses.dataclass(frozen=True)
class Row:
    """What all have reached on one workload."""

    workload: Workload
    makespans_s: dict[str, float]
    """By the name of who made the plan; infinite where there is none that completes."""
    error: str | None
    """Why the program has none."""

    def ratios(self) -> dict[str, float]:
        """Best known over found step times, by name."""
        best = self.workload.best_known_s
        return {name: best / found for name, found in self.makespans_s.items()}


@dataclasses.dataclass(frozen=True)
class ScoreTable:
    """The rows of one set of workloads."""

    name: str
    """``"public"`` or ``"hidden"``."""
    rows: list[Row]

    def scores(self) -> dict[str, float]:
        """The geometric means of the ratios, by name; 0 where one is 0."""
        columns = [row.ratios() for row in self.rows]
        return {name: _mean([ratios[name] for ratios in columns]) for name in columns[0]}


def score_tables(
    folder: Path,
    program: Path,
    *,
    hidden_seed: int | None,
    evaluations: int,
    progress: Callable[[str], None] = lambda text: None,
) -> list[ScoreTable]:
    """Scores a program, the seed program and agents.

    Args:
        folder: That of `opyard task new`.
        program: The program.
        hidden_seed: Makes the hidden workloads; None for the public ones alone.
        evaluations: The budget of `auto` as a control. HEFT, METIS and `single_device` have 64.
        progress: Receives what is being run.

    Raises:
        InputError: The folder or the program cannot be read.
    """
    workloads, limits = read_workloads(folder)
    text = read_program(program)
    tables = [_table("public", text, workloads, limits, evaluations, progress)]
    if hidden_seed is not None:
        progress("best plans of the hidden workloads")
        hidden = with_best_known(hidden_problems(hidden_seed), REFERENCE_EVALUATIONS)
        table = _table("hidden", text, hidden, limits, evaluations, progress)
        tables.append(ScoreTable("hidden", [_with_best_of_row(row) for row in table.rows]))
    return tables


def _table(
    name: str,
    text: str,
    workloads: Sequence[Workload],
    limits: Limits,
    evaluations: int,
    progress: Callable[[str], None],
) -> ScoreTable:
    rows = []
    for workload in workloads:
        progress(f"{name}: {workload.title}")
        rows.append(_row(text, workload, limits, evaluations))
    return ScoreTable(name, rows)


def _row(text: str, workload: Workload, limits: Limits, evaluations: int) -> Row:
    found: dict[str, float] = {}
    errors = []
    for name, program in (("program", text), ("seed program", SEED_PROGRAM.read_text("utf-8"))):
        (outcome,) = outcomes_of(program, [workload], limits)
        found[name] = outcome.makespan_s or math.inf
        errors.append(outcome.error)
    for agent in _RULES:
        found[agent] = found_by(agent, workload.graph, workload.hardware, _RULE_EVALUATIONS)
    auto = found_by("auto", workload.graph, workload.hardware, evaluations)
    return Row(workload, {**found, f"auto, {evaluations}": auto}, errors[0])


def _with_best_of_row(row: Row) -> Row:
    """The row, with the best of all that were found as the best known."""
    best = min(row.workload.best_known_s, *row.makespans_s.values())
    return dataclasses.replace(row, workload=dataclasses.replace(row.workload, best_known_s=best))


def _mean(ratios: Sequence[float]) -> float:
    return statistics.geometric_mean(ratios) if all(ratios) else 0.0
