"""An experiment of files, and what its stores hold: for the tests of executors."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import opyard as package

OPYARD = [sys.executable, "-m", "opyard"]

# 14 runs: single_device samples nothing. About half a second each of the others.
EXPERIMENT = """\
schema_version: 1
name: spread
graphs: [models/mine.graph.json, "random:layered?n=150&seed=2"]
hardware: [machines/two.yaml]
budget: {evaluations: 8000}
agents: [single_device, random, {name: random, label: other, params: {devices: all}}]
seeds: [0, 1, 2]
"""

_MACHINE = """\
schema_version: 1
name: two
devices: [{name: gpu, type: small, count: 2}]
links: [{name: cable, between: [gpu0, gpu1], bandwidth: 1 GB/s, latency: 5 us, duplex: full}]
"""

_DEVICE = """\
schema_version: 1
name: small
kind: gpu
memory: 8 GiB
memory_bandwidth: 100 GB/s
peak_flops: {f32: 1 TFLOP/s}
"""


def write_experiment(folder: Path) -> Path:
    """Writes the experiment, its graph, machine and device file into `folder`."""
    for name in ("models", "machines", "devices"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    graph = package.load_graph("random:layered?n=150&seed=1")
    (folder / "models" / "mine.graph.json").write_text(json.dumps(graph.to_dict()))
    (folder / "machines" / "two.yaml").write_text(_MACHINE)
    (folder / "devices" / "small.yaml").write_text(_DEVICE)
    (folder / "spread.yaml").write_text(EXPERIMENT)
    return folder


def opyard(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in `folder`, with further variables of the environment."""
    return subprocess.run(
        [*OPYARD, *words],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def runs_of(results: Path) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """Everything that a store holds of each cell but times, and the experiment that it is of."""
    with contextlib.closing(sqlite3.connect(results / "results.sqlite")) as store:
        rows = store.execute(
            "SELECT graph, hardware, agent, seed, graph_sha256, hardware_sha256, agent_name,"
            " params, settings, status, outcome, makespan_ps, score, evaluations, failures, plan,"
            " reproduce, reference_score FROM runs"
        ).fetchall()
        info = tuple(sorted(store.execute("SELECT key, value FROM info WHERE key != 'shard'")))
    assert len({row[:4] for row in rows}) == len(rows)
    return {row[:4]: row[4:] for row in rows} | {("info",): info}
