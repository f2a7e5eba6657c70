"""A small experiment, run: what the tests of scripts that make pages read."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path


def run_experiment(folder: Path, experiment: str) -> Path:
    """Runs the YAML text in `folder`; returns the folder of its results."""
    (folder / "tiny.yaml").write_text(experiment, encoding="utf-8")
    words = ("run", "tiny.yaml", "--out", "results", "--quiet")
    subprocess.run([sys.executable, "-m", "opyard", *words], cwd=folder, check=True)
    return folder / "results"


def milliseconds(store: Path, agent: str) -> list[float]:
    """The step times of an agent's runs, in the order of the seeds."""
    with sqlite3.connect(store / "results.sqlite") as found:
        rows = found.execute("SELECT makespan_ps FROM runs WHERE agent = ? ORDER BY seed", (agent,))
        return [picoseconds * 1e-9 for (picoseconds,) in rows]
