"""The page of scripts/samples_table.py says when agents were as good as others end."""

from __future__ import annotations

import sqlite3
import statistics
import subprocess
import sys
from pathlib import Path

from small_store import milliseconds, run_experiment

ROOT = Path(__file__).parents[2]
EXPERIMENT = """
schema_version: 1
name: tiny
graphs: [resnet50]
hardware: [p100x2-pcie]
problem: {tasks: [placement]}
budget: {evaluations: 40}
agents: [random, {name: random, label: other}]
seeds: [0, 1, 2]
"""


def histories(store: Path, agent: str) -> list[list[tuple[int, float]]]:
    with sqlite3.connect(store / "results.sqlite") as found:
        runs = found.execute("SELECT id FROM runs WHERE agent = ? ORDER BY id", (agent,)).fetchall()
        return [
            [
                (evaluations, makespan * 1e-9)
                for evaluations, makespan in found.execute(
                    "SELECT evaluations, makespan_ps FROM history WHERE run = ?"
                    " ORDER BY evaluations",
                    run,
                )
            ]
            for run in runs
        ]


def test_the_median_run_reaches_what_another_agent_ends_with(tmp_path):
    store = run_experiment(tmp_path, EXPERIMENT)
    target = statistics.fmean(milliseconds(store, "random"))
    script = ROOT / "scripts" / "samples_table.py"
    lines = subprocess.run(
        [sys.executable, script, store, "random"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert any("to 5 % of `random` | to 1 % of `random`" in line for line in lines)
    for agent in ("random", "other"):
        cells = next(line for line in lines if line.startswith(f"| `{agent}`")).split("|")
        for share, cell in ((1.05, cells[3]), (1.01, cells[4])):
            reached = sorted(
                next((count for count, best in history if best <= share * target), 10**9)
                for history in histories(store, agent)
            )
            assert cell.strip() == (str(reached[1]) if reached[1] < 10**9 else "–")
