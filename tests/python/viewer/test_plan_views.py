"""Views of a plan show what its trace and its report hold."""

from __future__ import annotations

import numpy as np
import opyard
import pytest
from bokeh.core.validation import check_integrity
from opyard.viewer import colours
from opyard.viewer.figures import FigureBundle
from opyard.viewer.graph_figure import places_of
from opyard.viewer.graph_sketch import graph_sketch
from opyard.viewer.graph_view import nodes_of
from opyard.viewer.machine_sketch import machine_sketch
from opyard.viewer.machine_view import link_loads
from opyard.viewer.op_groups import MOST_GROUPS, edges_of, groups_of
from opyard.viewer.path_view import path_words, uses_of
from opyard.viewer.plan_page import PlanNames, headline, plan_page, warnings
from opyard.viewer.plan_views import plan_views
from opyard.viewer.step import step_of
from opyard.viewer.timeline import PATH_ROW, rows_of
from opyard.viewer.waits import reasons
from opyard.viewer.words import bytes_text, percent_text, shortened, time_text

US = 10**6  # picoseconds


class KeptFigures(FigureBundle):
    """A bundle that keeps its models."""

    def __init__(self) -> None:
        super().__init__()
        self.models = {}

    def add(self, name, model, *, height_px):
        self.models[name] = model
        return super().add(name, model, height_px=height_px)


@pytest.fixture(scope="module")
def step(by_hand):
    """The simulated step."""
    return step_of(*by_hand)


@pytest.fixture(scope="module")
def figures(by_hand):
    """The models of all views."""
    bundle = KeptFigures()
    views = plan_views(*by_hand, bundle, name="p")
    assert [view.name for view in views] == ["timeline", "path", "graph", "machine", "memory"]
    return bundle.models


def columns_of(model, name):
    """The columns behind a renderer."""
    (renderer,) = model.select({"name": name})
    return renderer.data_source.data


def test_bokeh_finds_no_fault_in_figures(figures):
    for name, model in figures.items():
        assert check_integrity(model.references()).error == [], name


def test_kernels_stand_where_hand_arithmetic_has_them(figures):
    bars = columns_of(figures["p-timeline"], "kernels")
    spans = dict(zip(bars["name"], zip(bars["left"], bars["right"], strict=True), strict=True))
    assert spans == {"a": (0, 2), "c": (2, 7), "d": (10, 11), "b": (5, 8)}
    assert bars["row"] == ["gpu0", "gpu0", "gpu0", "gpu1"]


def test_transfers_stand_on_their_links(figures):
    bars = columns_of(figures["p-timeline"], "transfers")
    found = list(zip(bars["name"], bars["row"], bars["left"], bars["right"], strict=True))
    assert sorted(found) == [("copy of a:0", "link>", 2, 5), ("copy of b:0", "link<", 8, 10)]
    assert sorted(bars["way"]) == ["gpu0 to gpu1", "gpu1 to gpu0"]


def test_the_critical_path_goes_through_both_copies(figures):
    bars = columns_of(figures["p-timeline"], "path")
    assert bars["name"] == ["a", "copy of a:0", "b", "copy of b:0", "d"]
    np.testing.assert_array_equal(bars["left"], [0, 2, 5, 8, 10])


def test_colours_are_those_of_phases_and_modules(figures):
    bars = columns_of(figures["p-timeline"], "kernels")
    phases = {"a": "forward", "b": "forward", "c": "backward", "d": "update"}
    expected = colours.rgba(colours.PHASES[phases[name]] for name in bars["name"])
    np.testing.assert_array_equal(bars["colour"], expected)
    by_module = dict(zip(bars["name"], map(tuple, bars["module"]), strict=True))
    assert by_module["a"] == by_module["d"] != by_module["b"]


def test_every_timed_kernel_of_a_trace_is_a_bar():
    problem = opyard.Problem("random:layered?n=200&seed=2", "p100x4-pcie", group="op")
    plan = problem.plan([i % 5 for i in range(200)])
    step = step_of(problem, plan)
    traced = [
        event["args"]
        for event in plan.trace(problem)["traceEvents"]
        if event["ph"] == "X" and event["cat"] == "kernel" and event["dur"] > 0
    ]
    assert sorted((span.start_ps, span.finish_ps) for span in step.kernels) == sorted(
        (facts["start_ps"], facts["finish_ps"]) for facts in traced
    )
    assert {span.row for span in step.transfers} <= {
        channel["name"] for channel in step.report["channels"] if channel["bytes"]
    }


def test_loads_are_the_bytes_of_transfers(step):
    (link,) = link_loads(step)
    assert link.num_bytes == 3000  # 2000 of a, 1000 of b
    assert link.busy == pytest.approx(3 / 11)  # the busier direction, of 11 µs
    assert link.load == "10 to 50 %"


def test_a_kernel_says_why_it_starts_when_it_does(step):
    texts = dict(zip((span.name for span in step.kernels), map(str, reasons(step)), strict=True))
    assert texts["c"] == "starts when it is ready: last came a"
    assert texts["d"] == "starts when it is ready: last came copy of b:0"


def test_a_kernel_that_queues_names_what_ran():
    problem = opyard.Problem("random:layered?n=60&seed=2", "p100x1-pcie", group="op")
    step = step_of(problem, problem.plan([1] * 60))
    late = [
        str(text)
        for span, text in zip(step.kernels, reasons(step), strict=True)
        if span.start_ps > span.facts["ready_ps"]
    ]
    assert late
    assert all("before, while gpu0 ran" in text for text in late)


def test_rows_begin_with_the_path_and_end_with_memory(step):
    rows = rows_of(step)
    assert rows.spans == [PATH_ROW, "gpu0", "gpu1", "link<", "link>"]
    assert rows.memory == ["gpu0", "gpu1"]
    assert rows.places == sorted(rows.places, reverse=True)


def test_the_area_of_memory_reaches_the_peak_of_the_report(step):
    peaks = {device["name"]: device["peak_memory_bytes"] for device in step.report["devices"]}
    assert {name: max(held for _, held in s) for name, s in step.memory.items()} == peaks


def test_a_graph_has_a_node_per_module_with_the_times_of_its_devices(step):
    groups = groups_of(step.problem.graph, step.plan.placement, step.devices)
    nodes = nodes_of(step, groups)
    assert [node.name for node in nodes] == ["first", "second.left", "second.right"]
    assert [dict(node.ps) for node in nodes] == [
        {"gpu0": 3 * US},  # a and d
        {"gpu1": 3 * US},
        {"gpu0": 5 * US},
    ]
    edges = edges_of(step.problem.graph, step.plan.placement, groups)
    assert edges[0, 1].num_bytes == 3000  # a to b, b to d
    assert edges[0, 1].crossing_bytes == 3000
    assert edges[0, 2].num_bytes == 6000  # a to c, c to d
    assert edges[0, 2].crossing_bytes == 0


@pytest.mark.parametrize("graph", ["inception_v3", "random:layered?n=2000&seed=1"])
def test_cards_do_not_overlap_and_fit_a_canvas(graph):
    problem = opyard.Problem(graph, "p100x2-pcie", group="op")
    step = step_of(problem, problem.baseline_plans()[-1])
    groups = groups_of(problem.graph, step.plan.placement, step.devices)
    places = places_of(len(groups.names), edges_of(step.problem.graph, step.plan.placement, groups))
    widest = 0
    for layer in np.unique(places[:, 1]):
        columns = np.sort(places[places[:, 1] == layer, 0])
        assert np.all(np.diff(columns) >= 1)
        widest = max(widest, len(columns))
    assert np.ptp(places[:, 0]) < max(3 * widest, 2)


def test_a_graph_without_a_plan_has_bars_by_phase(by_hand):
    bundle = KeptFigures()
    graph_sketch(by_hand[0].graph, bundle, "g")
    cards, times = (columns_of(bundle.models["g"], name) for name in ("cards", "times"))
    assert list(cards["name"]) == ["first", "second.left", "second.right"]
    assert list(cards["fact0"]) == ["2: 2 MatMul", "1: 1 MatMul", "1: 1 MatMul"]
    # a is forward and d is update; b is forward; c is backward.
    phases = ["forward", "update", "forward", "backward"]
    assert list(times["fill_color"]) == [colours.PHASES[phase] for phase in phases]
    lengths = np.array(times["right"]) - np.array(times["left"])
    assert lengths == pytest.approx([0.46] * 4)  # half of the widest card


def test_a_machine_without_a_plan_has_no_loads(by_hand):
    bundle = KeptFigures()
    machine_sketch(by_hand[0].hardware, bundle, "m")
    plot = bundle.models["m"]
    assert list(columns_of(plot, "devices")["name"]) == ["gpu0", "gpu1"]
    links = next(tool for tool in plot.tools if "links" in (tool.description or ""))
    assert "latency" in links.tooltips
    assert "busy" not in links.tooltips


@pytest.mark.parametrize(
    ("graph", "rule"),
    [
        ("inception_v3", "modules at depth 5"),
        ("random:layered?n=60&seed=1", "layers"),
        ("random:erdos_renyi?n=60&seed=1", "chains of ops"),
        ("random:erdos_renyi?n=600&seed=1", "ops of"),
    ],
)
def test_groups_are_as_fine_as_a_picture_can_show(graph, rule):
    loaded = opyard.load_graph(graph)
    groups = groups_of(loaded, [i % 2 for i in range(loaded.num_ops)], ["gpu0", "gpu1"])
    assert groups.rule.startswith(rule)
    assert len(groups.of_op) == loaded.num_ops
    assert 2 < len(groups.names) <= MOST_GROUPS
    assert set(groups.of_op) == set(range(len(groups.names)))


def test_uses_of_a_device_add_up_to_the_step(step):
    columns = uses_of(step)
    assert columns["busy"] == pytest.approx([100 * 8 / 11, 100 * 3 / 11])
    assert [sum(values) for values in zip(*columns.values(), strict=True)] == pytest.approx(
        [100] * 2
    )


def test_the_path_in_words_has_its_kinds(step):
    text = str(path_words(step))
    assert "kernels 54.5 % (6.000 µs), transfers 45.5 % (5.000 µs)" in text  # a, b, d; 3 + 2
    assert "copy of a:0 goes from gpu0 to gpu1" in text


def test_the_headline_compares_with_the_best_device(step):
    # One device runs 2 + 3 + 5 + 1 = 11 µs, as this plan does.
    assert headline(step).startswith("It is 1.00 times as fast as gpu0 alone (11.00 µs)")


def test_equal_plans_have_equal_pages(by_hand):
    names = PlanNames("four.plan.json", "opyard simulate")
    assert plan_page(*by_hand, names) == plan_page(*by_hand, names)


def test_names_are_shown_as_text(by_hand):
    problem, plan = by_hand
    values = problem.graph.to_dict()
    values["name"] = "</script><x-y>"
    values["ops"][0]["name"] = "<img src=x onerror=alert(1)>"
    named = opyard.Problem(opyard.Graph.from_dict(values), problem.hardware, group="op")
    page = plan_page(named, plan, PlanNames("<x-y>", "<x-y>"))
    assert "<img src=x" not in page
    assert "<x-y>" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    texts = " ".join(map(str, reasons(step_of(named, plan))))
    assert "last came &lt;img" in texts


def test_a_plan_that_runs_out_of_memory_is_shown_as_far_as_it_went():
    values = opyard.load_machine("p100x2-pcie").to_dict()
    for device in values["devices"]:
        device["memory"] = "2 GiB"
    machine = opyard.Machine.from_dict(values)
    problem = opyard.Problem("inception_v3", machine, group="op")
    plan = problem.plan([1] * problem.graph.num_ops)
    step = step_of(problem, plan)
    assert not step.completed
    assert step.kernels
    (warning,) = warnings(step)
    assert "on gpu0, of whose 2.000 GiB" in warning
    page = plan_page(problem, plan, PlanNames("p", "c"))
    assert "The step does not complete" in page
    assert warning.split(" on gpu0")[0] in page


def test_an_order_that_goes_in_a_circle_is_named():
    problem = opyard.Problem("random:layered?n=30&seed=4", "p100x2-pcie", group="op")
    backwards = opyard.Plan([1] * 30, queue="order", order=[[], [list(range(29, -1, -1))], []])
    step = step_of(problem, backwards)
    (warning,) = warnings(step)
    assert warning.startswith("The order of the plan goes round in a circle: ")
    assert headline(step) == "It fails at once; the views show what ran until then."
    page = plan_page(problem, backwards, PlanNames("p", "c"))
    assert "Nothing that takes time has run." in page


def test_figures_have_names_of_their_own():
    bundle = FigureBundle()
    with pytest.raises(ValueError, match="expected a new name"):
        bundle.add("No Name", None, height_px=1)


def test_words_have_four_digits_and_a_unit():
    assert [time_text(ps) for ps in (0, 999, 1_234_567, 98_765_432_100)] == [
        "0", "999.0 ps", "1.235 µs", "98.77 ms",
    ]  # fmt: skip
    assert [bytes_text(count) for count in (0, 1023, 1536, 5 * 2**30)] == [
        "0 B", "1023 B", "1.500 KiB", "5.000 GiB",
    ]  # fmt: skip
    assert percent_text(1, 8) == "12.5 %"
    assert percent_text(0, 0) == "0 %"
    assert shortened("processor10>processor11", 9) == "proc…or11"
