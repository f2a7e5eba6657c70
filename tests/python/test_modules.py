"""Problems that decide per module, in the network's order, with figures of an eager runtime."""

from __future__ import annotations

import pickle

import opyard
import pytest

GRAPH = "zoo:gpt?scale=tiny"
MACHINE = "p100x2-pcie"


def module_of(op, depth):
    """The module of an op down to a depth; None where the graph says none."""
    return None if op.module is None else ".".join(op.module.split(".")[:depth])


def test_ops_of_a_module_are_of_one_group():
    problem = opyard.Problem(GRAPH, MACHINE, group="module:1")
    assert problem.group == "module:1"
    groups: dict[str, set[int]] = {}
    for op, group in zip(problem.graph.ops, problem.group_of_op, strict=True):
        if op.module and op.colocation is None:
            groups.setdefault(module_of(op, 1), set()).add(group)
    assert len(groups) > 2
    assert all(len(numbers) == 1 for numbers in groups.values())
    assert problem.num_groups < opyard.Problem(GRAPH, MACHINE, group="module").num_groups


def test_a_problem_with_modules_comes_back_from_a_pickle():
    problem = opyard.Problem(GRAPH, MACHINE, group="module:2", fusion="module", contiguous=True)
    again = pickle.loads(pickle.dumps(problem))
    assert again == problem
    assert (again.group, again.fusion, again.contiguous) == ("module:2", "module", True)
    assert "contiguous" in repr(again)
    assert not opyard.Problem(GRAPH, MACHINE).contiguous


def test_plans_keep_their_regions():
    problem = opyard.Problem(GRAPH, MACHINE, fusion="module")
    plan = problem.plan()
    regions = plan.fusion_region
    assert len(set(regions)) > 2
    assert pickle.loads(pickle.dumps(plan)) == plan
    whole = opyard.Plan(plan.placement, plan.queue, fusion_priority=plan.fusion_priority)
    assert whole.fusion_region == []
    assert whole != plan
    found = [problem.simulate(each)["makespan_s"] for each in (whole, plan)]
    kernels = [len({op["group"] for op in problem.simulate(each)["ops"]}) for each in (whole, plan)]
    assert kernels[0] < kernels[1]
    assert min(found) > 0


def test_contiguous_plans_have_one_run_of_groups_per_device():
    result = opyard.place(
        GRAPH, MACHINE, agent="random", group="module:1", contiguous=True, evaluations=20
    )
    device_of: dict[int, int] = {}
    for device, group in zip(result.plan.placement, result.problem.group_of_op, strict=True):
        assert device_of.setdefault(group, device) == device
    evaluator = opyard.Evaluator(result.problem)
    assert evaluator.evaluate([result.plan])[0]["makespan_s"] == result.makespan_s


def test_a_result_says_what_an_eager_runtime_makes_of_its_placement():
    result = opyard.place(GRAPH, MACHINE, agent="single_device")
    eager = opyard.Plan(result.plan.placement, "program")
    simulated = opyard.simulate(GRAPH, MACHINE, eager)
    assert result.eager.outcome == simulated["outcome"] == "completed"
    assert result.eager.makespan_s == simulated["makespan_s"] > result.makespan_s
    asked = opyard.place(GRAPH, MACHINE, agent="single_device", queue="program", fusion="none")
    assert asked.eager is None
    assert asked.makespan_s == result.eager.makespan_s


def test_a_depth_beyond_the_deepest_path_is_refused():
    with pytest.raises(opyard.InputError, match=r"module:65.*module:1 to module:64"):
        opyard.Problem(GRAPH, MACHINE, group="module:65")
