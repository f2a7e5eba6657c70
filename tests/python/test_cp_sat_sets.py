"""cp_sat on graphs of others with published optima: it proves them, and its plans replay exactly.

The sets are not part of opyard: ../shared/data/benchmarks beside the repository, else skipped.
"""

from __future__ import annotations

import csv
from pathlib import Path

import opyard
import pytest
from opyard.cp_sat.agent import CpSatAgent

pytest.importorskip("ortools", reason="needs the extra exact")

SETS = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "benchmarks"
MILLISECOND = 10**9  # the unit of the sets' times, in picoseconds

pytestmark = pytest.mark.skipif(not SETS.is_dir(), reason="needs ../shared/data/benchmarks")


def rows_of(name: str) -> list[dict[str, str]]:
    table = SETS / name / "optima.csv"
    if not table.is_file():
        return []
    with table.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check(path: Path, processors: str, optimum: int) -> None:
    """Proves the optimum, with a plan of sequences that takes as long, to the picosecond."""
    problem = opyard.Problem(
        path,
        f"processors-{processors}",
        tasks=["placement", "scheduling"],
        fusion="none",
        group="none",
    )
    evaluator = opyard.Evaluator(problem, threads=1)
    agent = CpSatAgent()
    agent.search(problem, evaluator, 0)
    assert round(agent.bound * 1e12) == optimum * MILLISECOND
    assert round(evaluator.best["makespan_s"] * 1e12) == optimum * MILLISECOND


@pytest.mark.parametrize("processors", ["2", "16"])
def test_the_optima_of_sinnens_graphs_of_ten_tasks_are_proven(processors):
    rows = [
        row
        for row in rows_of("sinnen")
        if "_Nodes_10_" in row["file"]
        and row["processors"] == processors
        and row["proven_length"] == row["published_length"]
    ]
    assert rows
    for row in rows:
        check(SETS / "sinnen" / row["file"], processors, int(row["proven_length"]))


@pytest.mark.parametrize("graph", ["50/rand0000.stg", "50/rand0010.stg", "50/rand0050.stg"])
@pytest.mark.parametrize("processors", ["2", "4"])
def test_optima_of_the_standard_task_graph_set_are_proven(graph, processors):
    (row,) = [
        row for row in rows_of("stg") if row["graph"] == graph and row["processors"] == processors
    ]
    assert row["lower"] == row["best"]
    check(SETS / "stg" / graph, processors, int(row["best"]))
