"""The charts of a comparison, as models: they hold the numbers of the comparison."""

from __future__ import annotations

import itertools
import subprocess

import numpy as np
import pytest
import shapes
import stores
from bokeh.models import ColumnDataSource, GlyphRenderer, Line, Step, VAreaStep
from opyard.compare import charts, curve_charts, plan_folds
from opyard.compare.comparison import THRESHOLDS, Comparison, Question, compare
from opyard.compare.learning import learning_of
from opyard.compare.markup import named, slugs
from opyard.compare.palette import styles
from opyard.compare.reports import Report, read_curve
from opyard.compare.sections import make_sections
from opyard.compare.standings import standings
from opyard.compare.statistics import Bootstrap
from opyard.compare.tables import make_tables
from opyard.viewer.figures import FigureBundle

FEW = Bootstrap(100)


@pytest.fixture(scope="module")
def made(results) -> Comparison:
    """The comparison of the small store, with perturbed machines."""
    return compare(Question([results], bootstrap=FEW, perturbations=20))


@pytest.fixture(scope="module")
def agent_styles(made):
    return styles(made.matrix.agents, made.baseline)


def source(chart: charts.Chart, name: str) -> dict[str, list]:
    """The columns of a source of a chart."""
    (found,) = chart.model.select({"type": ColumnDataSource, "name": name})
    return {key: list(column) for key, column in found.data.items()}


def test_speed_ups_are_those_of_the_comparison_with_the_best_on_top(made, agent_styles):
    rows = source(charts.speed_up_chart(made, agent_styles), "rows")
    assert rows["agent"] == [standing.agent for standing in standings(made)]
    assert rows["place"] == [3, 2, 1, 0]  # upwards
    for i, agent in enumerate(rows["agent"]):
        estimate = made.aggregates[agent].speed_up
        found = (rows["value"][i], rows["low"][i], rows["high"][i])
        assert found == (estimate.value, estimate.low, estimate.high)
        assert rows["colour"][i] == agent_styles[agent].colour


def test_the_first_picture_has_the_best_and_the_baseline(made, agent_styles):
    chart = charts.speed_up_chart(made, agent_styles, most=2)
    assert source(chart, "rows")["agent"] == [standings(made)[0].agent, "metis"]


def test_values_of_a_workload_are_in_its_unit_the_least_on_top(made, agent_styles):
    for workload in made.matrix.workloads:
        rows = source(charts.workload_chart(made, workload, "w", agent_styles), "rows")
        assert rows["value"] == sorted(rows["value"])
        for agent, value, low in zip(rows["agent"], rows["value"], rows["low"], strict=True):
            estimate = made.summaries.cells[workload, agent].value
            assert (value, low) == (estimate.value / 1e-3, estimate.low / 1e-3)


def test_robust_speed_ups_span_all_perturbations(made, agent_styles):
    rows = source(charts.robust_chart(made, agent_styles), "rows")
    for i, agent in enumerate(rows["agent"]):
        row = made.robustness.overall[agent]
        assert rows["value"][i] == row.nominal
        assert (rows["low"][i], rows["high"][i]) == row.range()


def test_curves_are_those_of_the_comparison_with_a_legend_that_hides_them(made, agent_styles):
    profile = curve_charts.profile_chart(made, agent_styles)
    found = list(curve_charts.anytime_charts(made, agent_styles))
    assert [chart.name for chart in found] == ["anytime-evaluations", "anytime-seconds"]
    for agent in made.matrix.agents:
        columns = source(profile, agent)
        assert columns["x"] == THRESHOLDS.tolist()
        assert columns["value"] == made.profiles[agent].value.tolist()
        for chart in found:
            curves = made.anytime[chart.name.removeprefix("anytime-")]
            columns = source(chart, agent)
            assert columns["x"] == curves.grid.tolist()
            for part in ("value", "low", "high"):
                assert columns[part] == getattr(curves.curves[agent], part).tolist()
    for chart in (profile, *found):
        assert [toggle.name for toggle in chart.toggles] == [s.agent for s in standings(made)]
        for toggle in chart.toggles:
            assert toggle.colour == agent_styles[toggle.name].colour
            named = chart.model.select({"name": toggle.name})
            assert sum(hasattr(model, "visible") for model in named) == 3


def test_best_plans_so_far_and_profiles_are_steps_and_what_agents_learn_is_not(made, agent_styles):
    # A run keeps its best plan until a better one comes; as many runs reach a fraction between two
    # points as reach the higher point, at least.
    profile = curve_charts.profile_chart(made, agent_styles)
    shapes_of = [(chart, "after") for chart in curve_charts.anytime_charts(made, agent_styles)]
    for chart, shape in [*shapes_of, (profile, "before")]:
        steps, bands = (list(chart.model.select({"type": kind})) for kind in (Step, VAreaStep))
        assert {step.mode for step in steps} == {shape}
        assert {band.step_mode for band in bands} == {shape}
    runs = {
        (run.folder, run.id): {"loss": report(3.0, 2.0)} for run in made.matrix.runs_of("brkga")
    }
    (learnt,) = curve_charts.learning_charts(learning_of(made.matrix, runs, {}), agent_styles)
    assert list(learnt.model.select({"type": Line}))
    assert not list(learnt.model.select({"type": Step}))


def test_of_many_curves_nine_show_at_first(made):
    agents = [f"agent{i}" for i in range(11)]
    curve = next(iter(made.profiles.values()))
    curves = dict.fromkeys(agents, (THRESHOLDS, curve))
    model, toggles = curve_charts.curve_chart(curves, styles(agents, "agent0"), ("x", "y"))
    assert [toggle.is_visible for toggle in toggles] == [True] * 9 + [False] * 2
    hidden = {found.name for found in model.select({"type": GlyphRenderer, "visible": False})}
    assert hidden == {"agent9", "agent10"}


def test_every_table_and_chart_stands_in_one_section(made, agent_styles):
    tables = make_tables(made)
    sections = make_sections(made, tables, agent_styles, has_all_agents=False)
    placed = [table.name for section in sections for table in section.tables]
    assert sorted(placed) == sorted(table.name for table in tables)
    names = [chart.name for section in sections for chart in section.charts]
    assert names == ["all-speed-ups", "profile", "anytime-evaluations", "anytime-seconds", "robust"]
    assert all(section.finding for section in sections)


def luminance(colour: str) -> float:
    """The relative luminance of "#rrggbb" (WCAG 2.2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_forty_agents_differ_and_every_colour_stands_out_on_both_grounds():
    found = styles([f"agent{i}" for i in range(41)], "agent3")
    assert len(set(found.values())) == 41
    for style in found.values():
        for ground in ("#ffffff", "#15181d"):
            light, dark = sorted([luminance(style.colour), luminance(ground)], reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 3


def test_long_names_lose_their_middle_and_ids_are_unique():
    assert charts.shortened("a_very_long_name_of_an_agent", 12) == "a_very_…gent"
    assert slugs(["A b?c=1", "a-b-c-1", "Ä", "Ä"]) == ["a-b-c-1", "a-b-c-1-2", "x", "x-2"]
    assert named("`a<b` is") == "<b>a&lt;b</b> is"


def report(*values: float) -> Report:
    """A value of the updates 1, 2, 3, …"""
    return Report(np.arange(1.0, len(values) + 1), np.array(values))


def test_what_agents_learn_is_the_median_over_their_runs(made, agent_styles):
    runs = made.matrix.runs_of("brkga")
    reports = {
        (run.folder, run.id): {"loss": report(3.0, 2.0), "best_makespan_s": report(1.0, 1.0)}
        for run in runs[:2]
    }
    reports[runs[2].folder, runs[2].id] = {"loss": report(9.0, 5.0, 4.0)}
    (loss, before) = learning_of(made.matrix, reports, {"random": {"entropy": report(2.0, 1.0)}})
    grid, curve = loss.curves["brkga"]
    assert (loss.value, loss.is_before_runs, grid.tolist()) == ("loss", False, [1, 2, 3])
    assert curve.value.tolist() == [3.0, 2.0, 4.0]  # of 3, 3, 9; of 2, 2, 5; of 4 alone
    assert (before.value, before.is_before_runs) == ("entropy", True)
    chart, _ = curve_charts.learning_charts([loss, before], agent_styles)
    assert source(chart, "brkga")["value"] == [3.0, 2.0, 4.0]
    single = {(runs[0].folder, runs[0].id): {"loss": report(3.0)}}
    assert learning_of(made.matrix, single, {}) == []  # one update is no curve


def test_training_curves_come_from_the_store_and_from_files_beside_it(results, tmp_path):
    store = stores.copied(results, tmp_path / "trained")
    stores.execute(
        store,
        "INSERT INTO training (run, name, num_updates, evaluations, seconds, value) "
        "SELECT id, 'loss', 5, 9, 0.1, 2.5 FROM runs WHERE agent = 'brkga' UNION "
        "SELECT id, 'loss', 7, 9, 0.1, 1.5 FROM runs WHERE agent = 'brkga'",
    )
    stores.execute(
        store,
        "INSERT INTO trainings VALUES (1, 'random', 'go', '{}', '{}', 3, 4, 0.1, 0.1, "
        "'training/random/weights.opyard', 'x', '0', '')",
    )
    folder = store / "training" / "random"
    folder.mkdir(parents=True)
    (folder / "curve.csv").write_text("update,entropy,loss\n1,2.0,\n2,1.0,0.5\n", encoding="utf-8")
    found = compare(Question([store], bootstrap=FEW)).learning
    assert [(each.value, each.is_before_runs) for each in found] == [
        ("loss", False), ("entropy", True)
    ]  # fmt: skip
    grid, curve = found[0].curves["brkga"]
    assert (grid.tolist(), curve.value.tolist()) == ([5, 7], [2.5, 1.5])
    assert found[1].curves["random"][1].value.tolist() == [2.0, 1.0]
    assert read_curve(folder / "gone.csv") == {}


def folds(made: Comparison, views: str, most_bytes: int) -> dict:
    """The folds of all plans, in the order in which their views are made."""
    bundle = FigureBundle()
    keys = itertools.product(made.matrix.workloads, made.matrix.agents)
    names = {key: f"plan-{i}" for i, key in enumerate(keys)}
    return plan_folds.plan_folds(made, bundle, names, views, lambda _: None, most_bytes)


def test_views_are_of_the_best_and_the_baseline_first_as_far_as_there_is_room(made):
    for views, most_bytes, count in (("none", 10**9, 0), ("best", 10**9, 4), ("all", 1, 1)):
        found = folds(made, views, most_bytes)
        assert len(found) == 8
        shown = [key for key, fold in found.items() if fold.views]
        assert len(shown) == count
        if views == "best":
            for workload in made.matrix.workloads:
                values = {a: found[workload, a].run.value for a in made.matrix.agents}
                best = min(values, key=lambda agent: values[agent])
                assert {a for w, a in shown if w == workload} == {best, "metis"}


@pytest.mark.parametrize("shape", [shapes.unchanged, shapes.long_names])
def test_the_commands_of_a_plan_without_views_make_its_page(results, tmp_path, shape):
    store = stores.copied(results, tmp_path / "results")
    shape(store)
    found = folds(compare(Question([store], bootstrap=FEW)), "none", 1)
    fold = next(iter(found.values()))
    for command in fold.commands:
        program, _, words = command.partition(" ")
        assert program == "opyard"
        line = f"{stores.sys.executable} -m opyard {words}"
        subprocess.run(["bash", "-c", line], cwd=tmp_path, check=True, capture_output=True)
    page = (tmp_path / "plan.html").read_text(encoding="utf-8")
    assert "One step takes" in page
    assert 'data-figure="' in page
