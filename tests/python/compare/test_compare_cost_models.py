"""Results under other cost models: a condition of a comparison, and never two in one."""

from __future__ import annotations

import json

import pytest
from opyard.compare.store import Store
from stores import copied, execute, opyard, run_small

PEAK = """schema_version: 1
name: peak
graphs: ["random:layered?n=40&seed=1"]
hardware: [p100x2-pcie]
problem: {tasks: [placement, scheduling], baseline: metis, cost_model: peak_roofline}
budget: {evaluations: 60}
agents: [metis, random]
seeds: [0]
"""


@pytest.fixture(scope="module")
def peak(tmp_path_factory):
    return run_small(tmp_path_factory.mktemp("peak"), PEAK)


def compared(*folders, folder):
    words = [str(each) for each in folders]
    return json.loads(opyard("compare", *words, "--json", folder=folder).stdout)


def test_a_comparison_says_what_ops_took(peak, results, tmp_path):
    assert "cost model: peak_roofline" in compared(peak, folder=tmp_path)["fairness"]
    fairness = compared(results, folder=tmp_path)["fairness"]
    assert not any(line.startswith("cost model") for line in fairness)


def test_plans_are_perturbed_under_the_model_of_their_runs(peak, tmp_path):
    words = ("compare", str(peak), "--robust", "--perturbations", "20", "--json")
    found = json.loads(opyard(*words, folder=tmp_path).stdout)
    assert {row["agent"] for row in found["robust"]} == {"metis", "random"}


def test_two_models_are_in_no_mean(peak, results, tmp_path):
    text = opyard("compare", str(peak), str(results), folder=tmp_path, status=2).stderr
    assert f"cost_model: found peak_roofline in {peak}, roofline in {results}" in text


def test_rows_of_before_there_were_others_have_the_default(results, tmp_path):
    older = copied(results, tmp_path / "older")
    execute(older, "ALTER TABLE runs DROP COLUMN cost_model")
    execute(older, "PRAGMA user_version = 6")
    upgraded = copied(results, tmp_path / "upgraded")
    execute(upgraded, "UPDATE runs SET cost_model = NULL")
    for folder in (older, upgraded):
        with Store(folder) as store:
            assert {run.cost_model for run in store.runs()} == {"roofline"}
