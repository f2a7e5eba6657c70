"""scripts/duels_table.py: all pairs learn from all duels, and rows of the table replay."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from opyard.duels import Contest
from opyard.duels.compact import instance_of_text

ROOT = Path(__file__).resolve().parents[3]
ROWS = ROOT / "docs" / "results" / "duels.csv"


@pytest.fixture(scope="module")
def table():
    """The script as a module."""
    path = ROOT / "scripts" / "duels_table.py"
    spec = importlib.util.spec_from_file_location("duels_table", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["duels_table"] = module
    spec.loader.exec_module(module)
    return module


def test_rows_of_published_rules_replay(table):
    rows = [
        row
        for row in table.read(ROWS)
        if {row["agent"], row["opponent"]} == {"heft", "single_device"}
    ]
    assert rows
    for row in rows:
        contest = Contest(row["agent"], row["opponent"], seed=int(row["seed"]))
        score = contest.score(instance_of_text(row["instance"]))
        assert f"{score.ratio:.6f}" == row["ratio"]


def test_a_pair_has_the_worst_instance_of_any_duel(table):
    found = {"first": {"a": 3.0, "b": 1.0}, "second": {"a": 2.0, "b": 4.0, "c": float("inf")}}
    worst = table.worst_of(found)
    assert worst["a", "b"] == table.Worst(3.0, "first")
    assert worst["b", "a"] == table.Worst(2.0, "second")
    assert ("c", "a") not in worst


def test_rows_that_no_pair_needs_are_dropped(table, tmp_path):
    path = tmp_path / "duels.csv"
    rows = [("a", "b", 0, "2.0", "kept"), ("a", "b", 1, "1.5", "needed"), ("a", "b", 2, "1", "not")]
    table.append(path, table.COLUMNS, rows)
    table.prune(path, {("b", "a"): table.Worst(9.0, "needed")})
    assert [row["instance"] for row in table.read(path)] == ["kept", "needed"]


def test_duels_go_on_where_they_were(table, tmp_path, monkeypatch):
    monkeypatch.setattr(table, "pairs", lambda: iter([("heft", "cpop"), ("cpop", "heft")]))
    monkeypatch.setattr(table, "SETTINGS", table.AnnealingSettings(restarts=1, iterations=3))
    path = tmp_path / "duels.csv"
    table.append(path, table.COLUMNS, [("heft", "cpop", 0, "9.0", "known")])
    table.run(path, 1, 60)
    rows = table.read(path)
    assert (rows[0]["agent"], rows[0]["ratio"]) == ("heft", "9.0")
    assert [row["agent"] for row in rows] == ["heft", "cpop"]
