"""Searches that begin at different kinds of plans: the tables say so to their readers."""

from __future__ import annotations

import json

import pytest
from stores import copied, execute, opyard, run_small

UNEQUAL = """schema_version: 1
name: unequal
graphs: ["random:layered?n=40&seed=1"]
hardware: [p100x2-pcie]
problem: {tasks: [placement, scheduling], baseline: metis}
budget: {evaluations: 60}
agents:
  - metis
  - brkga
  - {name: brkga, label: fair, params: {start: random}}
  - {name: local_search, label: faithful, params: {faithful: true}}
  - random
seeds: [0]
"""
# brkga begins at plans of heuristics; METIS builds its plan, and random is nothing but its start.
AT_RANDOM = "fair, faithful at random plans"
WARNING = f"searches begin differently (brkga at plans of heuristics; {AT_RANDOM})"


@pytest.fixture(scope="module")
def unequal(tmp_path_factory):
    return run_small(tmp_path_factory.mktemp("unequal"), UNEQUAL)


def test_a_run_says_so_in_its_table_and_in_json(tmp_path):
    (tmp_path / "small.yaml").write_text(UNEQUAL, encoding="utf-8")
    printed = opyard("run", "small.yaml", "--out", "one", folder=tmp_path).stdout
    assert (
        "warning: searches begin differently: brkga at plans of heuristics (start: rules); "
        in printed
    )
    assert f"{AT_RANDOM} (start: random)" in printed
    answer = json.loads(
        opyard("run", "small.yaml", "--out", "two", "--json", folder=tmp_path).stdout
    )
    assert answer["starts"] == [
        {"start": "rules", "agents": ["brkga"]},
        {"start": "random", "agents": ["fair", "faithful"]},
    ]
    (warning,) = answer["warnings"]
    assert "brkga" in warning
    assert AT_RANDOM in warning


def test_a_comparison_says_so_in_every_format(unequal, tmp_path):
    words = ("--out", "report", "--views", "none")
    printed = opyard("compare", str(unequal), *words, folder=tmp_path).stdout
    assert f"warning: {WARNING}" in printed
    condition = (
        f"searches begin: brkga at plans of heuristics, start: rules; {AT_RANDOM}, start: random"
    )
    assert condition in printed
    answer = json.loads(opyard("compare", str(unequal), "--json", folder=tmp_path).stdout)
    assert condition in answer["fairness"]
    assert any(line.startswith(WARNING) for line in answer["warnings"])
    for name in ("report.html", "report.md", "report.json"):
        text = (tmp_path / "report" / name).read_text(encoding="utf-8")
        assert WARNING in text, name
        assert condition in text, name


def test_nothing_is_warned_of_where_all_begin_alike(results, tmp_path):
    answer = json.loads(opyard("compare", str(results), "--json", folder=tmp_path).stdout)
    assert not any("begin" in line for line in answer["warnings"])
    assert (
        "searches begin: brkga, simulated_annealing at plans of heuristics, start: rules"
        in answer["fairness"]
    )


def test_a_store_that_does_not_say_where_searches_began_compares(unequal, tmp_path):
    older = copied(unequal, tmp_path / "older")
    for column in ("start", "cost_model"):
        execute(older, f"ALTER TABLE runs DROP COLUMN {column}")
    execute(older, "PRAGMA user_version = 5")
    answer = json.loads(opyard("compare", str(older), "--json", folder=tmp_path).stdout)
    assert not any("begin" in line for line in [*answer["fairness"], *answer["warnings"]])
