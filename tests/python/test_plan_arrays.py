"""Plans evaluated from arrays, against the same plans as objects."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import opyard
import pytest

GRAPHS = ["random:layered?n=12&seed=1", "random:layered?n=60&seed=2"]
MACHINE = "p100x2-pcie"
CODES = {"completed": 1, "out of memory": 2, "deadlock": 4}


def make_problem(graph: str | Path = GRAPHS[0], **settings) -> opyard.Problem:
    return opyard.Problem(graph, MACHINE, **settings)


def random_plans(problem: opyard.Problem, count: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Arrays of plans that fit: both GPUs, equal priorities among them, some ops never fused."""
    rng = np.random.default_rng(seed)
    shape = (count, len(problem.graph))
    return {
        "placement": rng.integers(1, 3, (count, problem.num_groups))[:, problem.group_of_op],
        "op_priority": rng.integers(-5, 5, shape),
        "fusion_priority": rng.integers(0, 4, shape),
    }


def plans_of(problem: opyard.Problem, arrays: dict[str, np.ndarray], **others) -> list[opyard.Plan]:
    rows = zip(*(array.tolist() for array in arrays.values()), strict=True)
    return [problem.plan(**dict(zip(arrays, row, strict=True)), **others) for row in rows]


def assert_same(found: dict[str, np.ndarray], expected: list[dict]) -> None:
    """The arrays hold, bit for bit, what the dicts of plan objects do."""
    assert found["outcome"].tolist() == [CODES[each["outcome"]] for each in expected]
    for key in ("score", "makespan_s", "peak_memory_bytes", "transfers"):
        assert found[key].tolist() == [each[key] for each in expected], key
    types = [found[key].dtype.name for key in ("outcome", "score", "makespan_s", "transfers")]
    assert types == ["int64", "float64", "float64", "int64"]


def standing(evaluator: opyard.Evaluator) -> tuple:
    """All that an evaluator has counted and kept, its clock apart."""
    history = [{**point, "seconds": None} for point in evaluator.history]
    counts = (evaluator.num_evaluations, evaluator.num_failures, evaluator.used_share)
    return (*counts, evaluator.is_done, evaluator.best_plan, evaluator.best, history)


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("settings", [{}, {"fusion": "none", "queue": "priority"}], ids=str)
@pytest.mark.parametrize("given", [1, 2, 3], ids=["placement", "priorities", "fusion"])
@pytest.mark.parametrize("threads", [1, 2])
def test_arrays_are_evaluated_as_the_plans_that_they_hold(graph, settings, given, threads):
    problem = make_problem(graph, **settings)
    arrays = dict(list(random_plans(problem, 40).items())[:given])
    found_by = opyard.Evaluator(problem, evaluations=100, threads=threads)
    expected_by = opyard.Evaluator(problem, evaluations=100, threads=1)
    expected = [expected_by.evaluate([plan])[0] for plan in plans_of(problem, arrays)]
    assert_same(found_by.evaluate_placements(**arrays), expected)
    assert standing(found_by) == standing(expected_by)


def test_a_queue_is_that_of_the_plans():
    problem = make_problem(GRAPHS[1])
    arrays = random_plans(problem, 20)
    evaluator = opyard.Evaluator(problem, threads=1)
    by_queue = {}
    for queue in ("fifo", "priority"):
        by_queue[queue] = evaluator.evaluate_placements(**arrays, queue=queue)
        assert_same(by_queue[queue], evaluator.evaluate(plans_of(problem, arrays, queue=queue)))
    assert (by_queue["fifo"]["makespan_s"] != by_queue["priority"]["makespan_s"]).any()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64"])
def test_any_integer_type_and_memory_order_will_do(dtype):
    problem = make_problem()
    placement = random_plans(problem, 5)["placement"]
    evaluator = opyard.Evaluator(problem, threads=1)
    expected = evaluator.evaluate_placements(placement)["makespan_s"]
    given = np.asfortranarray(placement.astype(dtype))
    assert evaluator.evaluate_placements(given)["makespan_s"].tolist() == expected.tolist()
    twice = np.repeat(placement, 2, axis=1)[:, ::2]  # every other entry of its rows
    assert evaluator.evaluate_placements(twice)["makespan_s"].tolist() == expected.tolist()


def test_a_budget_ends_a_batch_where_it_ends_one_of_plans():
    problem = make_problem()
    arrays = random_plans(problem, 10)
    evaluator = opyard.Evaluator(problem, evaluations=7, threads=1)
    assert len(evaluator.evaluate_placements(**arrays)["score"]) == 7
    assert evaluator.is_done
    assert len(evaluator.evaluate_placements(**arrays)["score"]) == 0


def test_no_plans_are_no_evaluations():
    evaluator = opyard.Evaluator(make_problem(), threads=1)
    found = evaluator.evaluate_placements(np.empty((0, 12), int))
    assert {len(array) for array in found.values()} == {0}
    assert evaluator.num_evaluations == 0


def test_plans_that_run_out_of_memory_are_outcomes(tmp_path):
    graph = tmp_path / "big.graph.json"
    op = {"name": "a", "type": "MatMul", "seconds": {"*": 1e-6}, "outputs": [{"bytes": 10**12}]}
    graph.write_text(json.dumps({"format": "opyard-graph/1", "name": "big", "ops": [op]}))
    problem = make_problem(graph)
    evaluator = opyard.Evaluator(problem, threads=1)
    found = evaluator.evaluate_placements(np.array([[1], [2]]))
    assert found["outcome"].tolist() == [2, 2]
    assert np.isinf(found["score"]).all()
    assert evaluator.num_failures == 2


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"placement": np.ones((3, 11), int)}, r"placement: found shape \(3, 11\), expected \(pl"),
        ({"placement": np.ones(12, int)}, r"placement: found shape \(12,\)"),
        ({"placement": np.ones((3, 12))}, "placement: found an array of float64"),
        ({"placement": np.ones((3, 12), bool)}, "placement: found an array of bool"),
        ({"placement": np.full((3, 12), -1)}, "placement/0/0: found -1, expected an integer from"),
        ({"placement": np.full((3, 12), 2**40)}, "placement/0/0: found 1099511627776"),
        ({"placement": np.full((3, 12), 2**64 - 1, np.uint64)}, "placement: found 184467"),
        ({"op_priority": np.zeros((2, 12), int)}, r"op_priority: found shape \(2, 12\), expected"),
        ({"op_priority": np.full((3, 12), 2**60)}, "op_priority/0/0: found"),
        ({"fusion_priority": np.full((3, 12), -1)}, "fusion_priority/0/0: found -1"),
        ({"queue": "lifo"}, "queue: found"),
    ],
    ids=str,
)
def test_arrays_that_no_plans_have_are_refused_before_any_is_evaluated(arrays, message):
    evaluator = opyard.Evaluator(make_problem(), threads=1)
    with pytest.raises(opyard.InputError, match=message):
        evaluator.evaluate_placements(**({"placement": np.ones((3, 12), int)} | arrays))
    assert evaluator.num_evaluations == 0


@pytest.mark.parametrize("given", [[[1] * 12], None, "text"])
def test_what_is_no_array_is_a_type_error(given):
    with pytest.raises(TypeError, match="placement: found"):
        opyard.Evaluator(make_problem(), threads=1).evaluate_placements(given)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_first_plan_that_does_not_fit_is_named_and_those_before_it_count(threads):
    placement = np.ones((9, 12), int)
    placement[4, 7] = 3  # there are three devices
    placement[6, 0] = 99
    evaluator = opyard.Evaluator(make_problem(), threads=threads)
    with pytest.raises(opyard.PlanError, match=r"row 4: plan#/placement/7: device 3 does not"):
        evaluator.evaluate_placements(placement)
    assert evaluator.num_evaluations == 4
