"""The code that the scripts for pages share, and the page of scripts/sizes_table.py."""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from small_store import milliseconds, run_experiment

SCRIPTS = Path(__file__).parents[2] / "scripts"
EXPERIMENT = """
schema_version: 1
name: tiny
graphs: ["random:layered?n=30&seed=1"]
hardware: [p100x2-pcie]
problem: {tasks: [placement]}
budget: {evaluations: 20}
agents: [random, local_search, round_robin]
seeds: [0, 1]
"""


@pytest.fixture
def stored_runs(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import stored_runs

    return stored_runs


# Tables of Student's t: 2.2281 at 10 degrees, 2.0860 at 20, 2.0003 at 60.
@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.706), (9, 2.262), (10, 2.2281), (20, 2.0860), (60, 2.0003)]
)
def test_quantiles_are_those_of_tables(stored_runs, freedom, quantile):
    assert stored_runs.t_quantile(freedom) == pytest.approx(quantile, abs=1e-3)


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    return run_experiment(tmp_path_factory.mktemp("stored_runs"), EXPERIMENT)


def test_a_column_says_how_much_better_or_worse_than_uniform_samples(store):
    answer = subprocess.run(
        [sys.executable, SCRIPTS / "sizes_table.py", store],
        check=True,
        capture_output=True,
        text=True,
    )
    header, _, row = answer.stdout.splitlines()
    random = milliseconds(store, "random")
    for column, agent in enumerate(("local_search", "round_robin"), start=4):
        assert header.split("|")[column].strip() == f"`{agent}`"
        times = milliseconds(store, agent)
        times *= len(random) // len(times)  # round_robin samples nothing: one run for both seeds
        change = statistics.fmean(times) / statistics.fmean(random) - 1.0
        no_worse = sum(time <= sample for time, sample in zip(times, random, strict=True))
        cell = row.split("|")[column].strip()
        assert cell.replace("**", "") == f"{change:+.2%} ({no_worse}/2)"
        assert cell.startswith("**") == (change > 0.005)
