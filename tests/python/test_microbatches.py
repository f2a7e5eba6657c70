"""Steps over micro-batches, and the units of their pipelines."""

from __future__ import annotations

from collections import Counter

import networkx
import numpy as np
import opyard
import pytest

STEP = "zoo:gpt?scale=tiny&layers=4&batch=8"
MACHINE = "p100x4-pcie"


def test_one_microbatch_is_the_graph_itself() -> None:
    graph = opyard.load_graph("vgg16")
    assert opyard.microbatch(graph, 1) == graph


def test_a_zoo_step_is_built_exactly_and_divided_nearly_so() -> None:
    exact = opyard.load_graph(f"{STEP}&microbatches=4")
    divided = opyard.microbatch(STEP, 4)
    assert divided.op_names == exact.op_names
    flops = [graph.arrays()["op_flops"].sum() for graph in (exact, divided)]
    assert flops[1] == pytest.approx(flops[0], rel=0.01)


def test_each_unit_of_a_pipeline_has_ops() -> None:
    graph = opyard.load_graph(f"{STEP}&microbatches=4")
    units = opyard.pipeline_units(graph, 2, MACHINE)
    assert units["num_microbatches"] == 4
    found = Counter(zip(units["stage"], units["microbatch"], units["passes"], strict=True))
    for stage in range(2):
        for microbatch in range(4):
            for name in ("F", "I", "W"):
                assert found[stage, microbatch, name] > 0
        assert found[stage, -1, "parameters"] > 0
        assert found[stage, -1, "update"] > 0
    assert set(units["stage"]) == {0, 1}


def test_first_layers_say_the_same_stages() -> None:
    units = opyard.pipeline_units(STEP, 3, MACHINE)
    again = opyard.pipeline_units(STEP, units["first_layers"])
    assert np.array_equal(units["stage"], again["stage"])
    assert again["first_layers"] == units["first_layers"]


def test_a_number_of_stages_needs_a_machine() -> None:
    with pytest.raises(opyard.InputError, match="hardware: found None"):
        opyard.pipeline_units(STEP, 2)
    with pytest.raises(opyard.InputError, match="hardware: found a machine"):
        opyard.pipeline_units(STEP, [0, 1], MACHINE)


def test_what_cannot_be_cut_is_refused() -> None:
    with pytest.raises(opyard.InputError, match="at most 6, the number of layers"):
        opyard.pipeline_units(STEP, 7, MACHINE)
    with pytest.raises(opyard.InputError, match="no op says its phase"):
        opyard.pipeline_units(opyard.Graph.from_networkx(networkx.DiGraph([("a", "b")])), [0])
    with pytest.raises(opyard.InputError, match="a divisor of the batch, 8"):
        opyard.microbatch(STEP, 3)


@pytest.mark.parametrize("reference", ["vgg16", "resnet50"])
def test_on_one_device_only_launches_and_sums_are_added(reference: str) -> None:
    whole = opyard.load_graph(reference)
    halves = opyard.microbatch(whole, 2)
    assert len(halves) <= 2 * len(whole) + len(whole)
    spans = []
    for graph in (whole, halves):
        problem = opyard.Problem(graph, "p100x2-pcie", fusion="none", queue="fifo")
        plan = problem.plan(problem.baseline_plans()[0].placement)
        seconds = problem.arrays()["op_seconds"][np.arange(len(graph)), plan.placement]
        spans.append((problem.simulate(plan)["makespan_s"], seconds.sum()))
    # One device is never idle.
    for makespan, work in spans:
        assert makespan == pytest.approx(work, rel=1e-6)
    assert spans[0][0] < spans[1][0] < 1.35 * spans[0][0]
