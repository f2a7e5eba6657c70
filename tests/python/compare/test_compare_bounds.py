"""Proven bounds in comparisons: of problems, and of agents."""

from __future__ import annotations

import json

import pytest
import stores
from opyard.compare.bounds import Bound, greatest_bound
from stores import opyard

GRAPH = "random:layered?n=40&seed=1"


def test_the_greatest_bound_that_no_plan_refutes_counts():
    problem, agent = Bound(3.0, "problem"), Bound(5.0, "cp_sat")
    assert greatest_bound([problem, agent], best=7.0) is agent
    assert greatest_bound([problem, agent], best=5.0) is agent
    assert greatest_bound([problem, agent], best=4.0) is problem  # agent's is of fewer plans
    assert greatest_bound([problem, Bound(3.0, "cp_sat")], best=7.0) is problem
    assert greatest_bound([], best=7.0) is None


def test_gaps_are_0_at_the_bound_and_picoseconds_count():
    bound = Bound(3.0, "problem")
    assert bound.gap_of(4.0) == 0.25
    assert bound.gap_of(3.0) == 0.0
    assert not bound.is_reached_by(3.0 + 1e-12)
    assert Bound(0.0, "problem").gap_of(0.0) == 0.0


@pytest.fixture(scope="module")
def proven(results, tmp_path_factory):
    """The store with a bound of brkga: on the first graph the best value, on the other twice it."""
    store = stores.copied(results, tmp_path_factory.mktemp("bounds") / "proven")
    stores.execute(
        store,
        "UPDATE runs SET agent_bound = (SELECT MIN(score) FROM runs AS r WHERE r.graph = "
        "runs.graph) * CASE WHEN graph = ? THEN 1 ELSE 2 END WHERE agent = 'brkga'",
        [GRAPH],
    )
    return store


def test_an_agent_s_bound_proves_an_optimum(proven, tmp_path):
    found = json.loads(opyard("compare", str(proven), "--json", folder=tmp_path).stdout)
    first, second = found["workloads"]
    assert (first["graph"], first["bound_of"], first["bound_gap"]) == (GRAPH, "brkga", 0.0)
    assert first["bound"] == pytest.approx(first["best"])
    assert second["bound_of"] == "problem"  # the greater one is refuted by plans
    assert second["bound_gap"] == pytest.approx(1 - second["bound"] / second["best"])
    cells = [cell for cell in found["cells"] if cell["graph"] == GRAPH]
    assert {cell["agent"] for cell in cells if cell["agent_bound"] is not None} == {"brkga"}
    reached = [cell["agent"] for cell in cells if cell["score"] == first["best"]]
    for row in found["agents"]:
        assert row["optimal"] == reached.count(row["agent"])
    for row in [row for row in found["summaries"] if row["graph"] == GRAPH]:
        gaps = [1 - first["bound"] / c["score"] for c in cells if c["agent"] == row["agent"]]
        assert row["bound_gap"] == pytest.approx(sum(gaps) / len(gaps))


def test_all_forms_show_bounds_and_mark_optima(proven, tmp_path):
    text = opyard(
        "compare", str(proven), "--out", "report", "--views", "none", folder=tmp_path
    ).stdout
    (line,) = [line for line in text.splitlines() if line.startswith("bound  ")]
    assert "(optimal)" in line
    assert "(gap " in line
    assert text[text.index("All workloads together") :].splitlines()[1].endswith("  optimal")
    for name, row in (("report.html", '<th scope="row">bound</th>'), ("report.md", "| bound | "),
                      ("report.tex", "  bound & "), ("workloads.csv", ",bound_of,bound_gap"),
                      ("cells.csv", ",agent_bound,"),
                      ("summaries.csv", ",bound_gap,")):  # fmt: skip
        assert row in (tmp_path / "report" / name).read_text(encoding="utf-8"), name


def test_no_column_counts_optima_where_none_is_proven(results, tmp_path):
    text = opyard("compare", str(results), folder=tmp_path).stdout
    assert "(optimal)" not in text
    assert not text[text.index("All workloads together") :].splitlines()[1].endswith("optimal")
