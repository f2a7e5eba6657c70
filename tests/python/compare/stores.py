"""Result stores for the tests of `opyard compare`: a small one that is run, and larger ones."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

# Two workloads, two seeds, agents that sample. Nothing of it depends on the clock.
EXPERIMENT = """schema_version: 1
name: small
graphs: ["random:layered?n=40&seed=1", "random:layered?n=60&seed=2"]
hardware: [p100x2-pcie]
problem: {tasks: [placement, scheduling], baseline: metis}
budget: {evaluations: 60}
agents: [metis, brkga, random, simulated_annealing]
seeds: [0, 1]
"""


def opyard(*words: str, folder: Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs the command in `folder`, where it has to end with `status`."""
    result = subprocess.run(
        [sys.executable, "-m", "opyard", *words],
        cwd=folder,
        env={**os.environ, "COLUMNS": "160"},  # wide tables stay in one piece
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == status, result.stderr
    return result


def run_small(folder: Path, experiment: str = EXPERIMENT, out: str = "results") -> Path:
    """Runs the experiment; returns the folder of its results."""
    (folder / "small.yaml").write_text(experiment, encoding="utf-8")
    opyard("run", "small.yaml", "--out", out, "--quiet", folder=folder)
    return folder / out


def copied(results: Path, to: Path) -> Path:
    """A copy of the store that may be changed."""
    to.mkdir(parents=True)
    with contextlib.closing(sqlite3.connect(results / "results.sqlite")) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(results / "results.sqlite", to)
    return to


@contextlib.contextmanager
def opened(results: Path) -> Iterator[sqlite3.Connection]:
    """The store, to be changed; what was done is kept."""
    with contextlib.closing(sqlite3.connect(results / "results.sqlite")) as store, store:
        yield store


def execute(results: Path, sql: str, values: Sequence[Any] = ()) -> None:
    """One statement that changes the store."""
    with opened(results) as store:
        store.execute(sql, values)


def ask(
    results: Path,
    agents: Mapping[str, Sequence[int]] | None = None,
    seeds: Sequence[int] = (0, 1),
    baseline: str = "metis",
) -> None:
    """Says in the store what its experiment asked, as schema 5 does: seeds by agent."""
    names = ("metis", "brkga", "random", "simulated_annealing")
    graphs = ("random:layered?n=40&seed=1", "random:layered?n=60&seed=2")
    resolved = {
        "problem": {
            "tasks": ["placement", "scheduling"],
            "objective": "makespan",
            "defaults": {"queue": "fifo", "fusion": "framework"},
            "baseline": baseline,
        },
        "seeds": list(seeds),
    }
    asked = dict.fromkeys(names, seeds) if agents is None else agents
    matrix = {
        "pairs": [[graph, "p100x2-pcie"] for graph in graphs],
        "agents": [{"label": name, "seeds": list(its)} for name, its in asked.items()],
    }
    for key, value in (("resolved", resolved), ("matrix", matrix)):
        put_info(results, key, json.dumps(value))


def put_info(results: Path, key: str, value: str) -> None:
    """Writes into the table of what is known of the experiment."""
    execute(results, "INSERT OR REPLACE INTO info VALUES (?, ?)", [key, value])


def grow(results: Path, graphs: int, agents: int, seeds: int, points: int = 30) -> None:
    """Makes the first run of the store a matrix of runs of the same plan.

    Step times stay those of the plan, so that it simulates again: of seed 0 alone, later seeds are
    said to be slower, each a little more. Every run has `points` improvements.
    """
    with opened(results) as store:
        columns = [row[1] for row in store.execute("PRAGMA table_info(runs)")]
        first = store.execute(f"SELECT {', '.join(columns)} FROM runs ORDER BY id").fetchone()
        run = dict(zip(columns, first, strict=True))
        store.execute("DELETE FROM runs")
        store.execute("DELETE FROM history")
        store.execute("DELETE FROM info WHERE key = 'matrix'")  # it is no more what was run
        marks = ", ".join("?" * len(columns))
        rows, history, number = [], [], 0
        for graph in range(graphs):
            for agent in range(agents):
                for seed in range(seeds):
                    number += 1
                    makespan = run["makespan_ps"] + seed * (1000 + 10 * agent + graph)
                    row = {**run, "id": number, "graph": f"g{graph}", "agent": f"agent{agent}",
                           "seed": seed, "makespan_ps": makespan, "evaluations": 500,
                           "score": makespan * 1e-12}  # fmt: skip
                    rows.append([row[name] for name in columns])
                    history += [
                        (number, 1 + 16 * i, 0.01 * (i + 1),
                         makespan * (1e-12 + 1e-14 * (points - i)), makespan)
                        for i in range(points)
                    ]  # fmt: skip
        store.executemany(f"INSERT INTO runs ({', '.join(columns)}) VALUES ({marks})", rows)
        store.executemany("INSERT INTO history VALUES (?, ?, ?, ?, ?)", history)
