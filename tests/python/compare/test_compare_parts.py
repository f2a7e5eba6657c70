"""The parts of a comparison by hand: anytime curves, best entries, perturbations, texts."""

from __future__ import annotations

import math

import numpy as np
import opyard
import pytest
from opyard import _core
from opyard.compare import figures, robust
from opyard.compare.anytime import make_grid, steps_of
from opyard.compare.figures import Unit, bytes_unit, time_unit
from opyard.compare.matrix import Workload
from opyard.compare.replay import World
from opyard.compare.robust import Perturbation, make_robustness
from opyard.compare.run import History
from opyard.compare.statistics import Estimate
from opyard.compare.summary import runs_until_repaid
from opyard.compare.table import Entry, Table, best_of, mark_best, upright
from opyard.compare.text_formats import latex_escaped, latex_text, markdown_text, terminal_text

HISTORY = History(np.array([2.0, 5.0]), np.array([0.1, 0.4]), np.array([7.0, 3.0]))


def test_the_best_so_far_begins_with_the_first_plan_and_holds_until_the_next():
    found = steps_of(HISTORY, "evaluations", np.array([1.0, 2.0, 4.0, 5.0, 99.0]))
    assert math.isnan(found[0])
    assert found[1:].tolist() == [7.0, 7.0, 3.0, 3.0]
    assert math.isnan(steps_of(None, "seconds", np.array([1.0]))[0])


def test_grids_run_from_the_first_plan_to_the_end():
    grid = make_grid([HISTORY], "evaluations", 500)
    assert grid[0] == 2
    assert grid[-1] == 500
    assert (np.diff(grid) > 0).all()
    assert make_grid([HISTORY], "seconds", 3.5)[[0, -1]] == pytest.approx([0.1, 3.5])


A, B, C = Estimate(1.0, 0.9, 1.1), Estimate(1.3, 1.2, 1.4), Estimate(1.2, 1.05, 1.3)


@pytest.mark.parametrize(
    ("estimates", "lowest", "best"),
    [
        ([A, B], True, 0),
        ([A, B], False, 1),
        ([A, C], True, None),  # 1.05 lies below 1.1
        ([A, B, None], True, 0),
        ([A], True, None),  # nothing to be better than
        ([A, Estimate(5.0)], True, None),  # one run may have been bad luck
    ],
)
def test_the_best_is_bold_only_where_no_interval_overlaps(estimates, lowest, best):
    assert best_of(estimates, lowest) == best


def test_an_agent_whose_runs_failed_is_not_marked():
    rows = [("a", [Entry("1")]), ("b", [Entry("2")])]
    marked = mark_best(rows, [[A, B]], lowest=True)
    assert [entries[0].is_best for _, entries in marked] == [True, False]
    rows = [("a", [Entry("1")]), ("b", [Entry("2")])]
    marked = mark_best(rows, [[A, B]], lowest=True, is_barred=lambda column, row: row == 0)
    assert [entries[0].is_best for _, entries in marked] == [False, False]


def test_trainings_are_repaid_by_what_each_search_saves():
    assert runs_until_repaid(30, 2, 9.5) == 4  # 30 / 7.5
    assert runs_until_repaid(31, 2, 9.5) == 5
    assert runs_until_repaid(30, 9.5, 9.5) is None


@pytest.mark.parametrize(
    ("unit", "name"),
    [
        (time_unit([0.002, 3.0]), "ms"),
        (time_unit([2e-6]), "us"),
        (time_unit([]), "ns"),
        (bytes_unit([3 << 30, 1 << 40]), "GiB"),
    ],
)
def test_a_table_has_the_unit_in_which_its_least_is_one_or_more(unit, name):
    assert unit.name == name


def test_what_rounds_to_zero_has_no_sign():
    assert figures.Unit("", 1.0, 2).text(-0.001) == "0.00"
    assert figures.Unit("", 1.0, 2).text(-0.006) == "-0.01"
    assert figures.COUNT.text(-0.0) == "0"
    assert figures.RATIO.estimate(Estimate(-1e-9, -4e-4, 2e-3)) == "0.000 [0.000, 0.002]"


def test_intervals_stand_in_brackets_unless_they_are_points():
    unit = Unit("ms", 1e-3, 1)
    assert unit.estimate(Estimate(0.012, 0.01, 0.0151)) == "12.0 [10.0, 15.1]"
    assert unit.estimate(Estimate(0.012, 0.012, 0.012)) == "12.0"
    assert unit.estimate(Estimate(0.012)) == "12.0"


TABLE = Table(
    "t", "A title", ["x_1", "y|2"], [("a&b", [Entry("1.0", 1, True), Entry()])], "50 % & more"
)


def test_objectives_are_one_word_as_in_tables_of_best_known_plans():
    weighted = '{"objective": {"weighted": {"makespan": 1.0, "peak_memory": 0.1}}}'
    assert Workload("g", "m", weighted).objective == "weighted:1:0.1"
    assert Workload("g", "m", '{"objective": "peak_memory"}').objective == "peak_memory"


def test_many_workloads_are_rows():
    names = [f"w{i}" for i in range(9)]
    wide = Table("t", "T", names, [("a", [Entry(n) for n in names]), ("b", [Entry()] * 9)])
    found = upright(wide)
    assert (found.heading, found.columns) == ("workload", ["a", "b"])
    assert [(name, entries[0].text) for name, entries in found.rows] == [(n, n) for n in names]
    assert upright(TABLE) is TABLE


def test_the_terminal_marks_the_best_and_breaks_wide_tables():
    assert terminal_text(TABLE, 80) == "A title\nagent   x_1  y|2\na&b    *1.0    —\n"
    narrow = terminal_text(TABLE, 12)
    assert narrow == "A title\nagent   x_1\na&b    *1.0\n\nagent  y|2\na&b      —\n"


def test_markdown_and_latex_escape_what_they_would_read():
    assert "| a&b | **1.0** | — |" in markdown_text(TABLE)
    assert "| agent | x\\_1 | y\\|2 |" in markdown_text(TABLE)
    text = latex_text(TABLE)
    assert r"a\&b & \textbf{1.0} & --- \\" in text
    assert r"50 \% \& more" in text
    assert latex_escaped("a\x1b{~}\\") == r"a?\{\textasciitilde{}\}\textbackslash{}"


@pytest.fixture(scope="module")
def problem() -> opyard.Problem:
    return opyard.Problem("random:layered?n=30&seed=4", "p100x2-pcie", tasks=["placement"])


def test_perturbations_are_sampled_by_name_and_seed_alone(problem):
    world = World(problem, {}, {})
    first, again = Perturbation(3).of(world), Perturbation(3).of(world)
    assert first == again != Perturbation(4).of(world)
    assert first != Perturbation(3, seed=1).of(world)
    assert all(0.8 <= factor <= 1.2 for factor in first["op_factors"].values())
    assert all(0.7 <= factor <= 1.3 for factor in first["link_factors"].values())
    assert set(first["op_factors"]) == {op.type for op in problem.graph.ops}
    factor = first["op_factors"][problem.graph.ops[0].type]
    other = World(opyard.Problem("random:layered?n=9&seed=1", "p100x2-pcie"), {}, {})
    shared = first["op_factors"].keys() & Perturbation(3).of(other)["op_factors"].keys()
    assert shared
    assert all(first["op_factors"][n] == Perturbation(3).of(other)["op_factors"][n] for n in shared)
    assert factor == Perturbation(3).factor(f"op {problem.graph.ops[0].type}", 0.2)


def test_half_of_all_worlds_share_otherwise_and_half_save_less_by_fusion():
    worlds = robust.perturbations(24)
    kinds = [(world.swaps_sharing, world.fusion_saving) for world in worlds]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        (False, 1.0): 6, (True, 1.0): 6, (False, 0.5): 6, (True, 0.5): 6,
    }  # fmt: skip


def test_a_plan_on_an_unperturbed_machine_takes_what_it_takes(problem):
    plans = [problem.plan(), *problem.baseline_plans()]
    found = _core.simulate_perturbed(problem.graph, problem.hardware, plans)
    assert [r["makespan_s"] for r in found] == [problem.simulate(p)["makespan_s"] for p in plans]


def test_scaling_all_costs_on_one_device_scales_the_step(problem):
    plan = problem.plan()
    types = _core.op_types(problem.graph)
    (plain,) = _core.simulate_perturbed(problem.graph, problem.hardware, [plan])
    (twice,) = _core.simulate_perturbed(
        problem.graph, problem.hardware, [plan], op_factors=dict.fromkeys(types, 2.0)
    )
    # Durations are rounded to picoseconds, each once: 30 ops, half a picosecond each, twice.
    assert twice["makespan_s"] == pytest.approx(2 * plain["makespan_s"], abs=60e-12)


def test_without_what_fusion_saves_fusing_is_never_faster(problem):
    fused = problem.plan(fusion_priority=[1] * len(problem.graph))
    alone = problem.plan(fusion_priority=[])
    times = [
        _core.simulate_perturbed(problem.graph, problem.hardware, [fused], fusion_saving=share)[0]
        for share in (1.0, 0.5, 0.0)
    ]
    found = [result["makespan_s"] for result in times]
    (unfused,) = _core.simulate_perturbed(problem.graph, problem.hardware, [alone])
    assert found == sorted(found)
    assert found[-1] == pytest.approx(unfused["makespan_s"], abs=60e-12)  # one device: a sum


def test_robustness_is_by_hand():
    w = Workload("g", "m", "{}")
    worlds = robust.perturbations(20)
    steady = np.full(20, 4.0)
    times = {w: {"base": steady, "fast": np.full(20, 2.5), "slow": np.full(20, 8.0)}}
    times[w]["fast"] = times[w]["fast"].copy()
    times[w]["fast"][0] = 5.0  # behind the baseline in one world
    times[w]["slow"][1] = np.nan
    found = make_robustness("base", worlds, times, {w: {"base": 4.0, "fast": 2.0, "slow": 8.0}})
    fast = found.overall["fast"]
    assert fast.nominal == 2.0
    assert fast.range() == (0.8, 1.6)
    assert fast.change() == pytest.approx((19 * 1.6 + 0.8) / 20 / 2 - 1)
    assert found.overall["slow"].failed == 1
    # One of three pairs is turned round in world 0; a failed plan is last, as it was before.
    assert found.taus[0] == pytest.approx(1 / 3)
    assert found.taus[1:].tolist() == [1.0] * 19
    assert found.first_kept == 19


def test_fewer_than_twenty_perturbations_are_refused():
    with pytest.raises(robust.CompareError, match="expected 20 or more"):
        robust.perturbations(19)
