"""The page of scripts/learned_table.py says what its store holds."""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from small_store import milliseconds, run_experiment

ROOT = Path(__file__).parents[2]
EXPERIMENT = """
schema_version: 1
name: tiny
graphs: [resnet50]
hardware: [p100x2-pcie]
problem: {tasks: [placement], baseline: human_expert}
budget: {evaluations: 20}
agents: [human_expert, random]
seeds: [0, 1, 2]
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    return run_experiment(tmp_path_factory.mktemp("learned_table"), EXPERIMENT)


def page(store: Path, best_known: str) -> list[str]:
    table = store / "best_known.csv"
    table.write_text(best_known, encoding="utf-8")
    script = ROOT / "scripts" / "learned_table.py"
    answer = subprocess.run(
        [sys.executable, script, store, "--best-known", table],
        check=True,
        capture_output=True,
        text=True,
    )
    return answer.stdout.splitlines()


def test_means_intervals_and_shares_are_those_of_the_runs(store):
    times = milliseconds(store, "random")
    expert = milliseconds(store, "human_expert")[0]
    lines = page(store, "graph,machine,tasks,makespan_s\nresnet50,p100x2-pcie,placement,0.1\n")
    row = next(line for line in lines if line.startswith("| `random`"))
    mean = statistics.fmean(times)
    # Three seeds: two degrees of freedom, whose 97.5 % quantile is 4.303.
    half = 4.303 * statistics.stdev(times) / math.sqrt(3)
    assert f"| {mean:.3f} ± {half:.3f} |" in row
    assert f"| {(expert - mean) / (expert - 100.0):.2f} |" in row
    assert f"head-room {expert / 100.0:.3f}" in lines[1]


def test_a_problem_without_a_best_known_plan_has_no_share(store):
    lines = page(store, "graph,machine,tasks,makespan_s\nresnet50,p100x2-pcie,fusion,0.1\n")
    row = next(line for line in lines if line.startswith("| `random`"))
    assert row.split("|")[3].strip() == "–"


def test_a_folder_without_a_store_is_named(tmp_path):
    script = ROOT / "scripts" / "learned_table.py"
    answer = subprocess.run(
        [sys.executable, script, tmp_path], check=False, capture_output=True, text=True
    )
    assert answer.returncode == 2
    assert f"{tmp_path}: no results.sqlite" in answer.stderr
