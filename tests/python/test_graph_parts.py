"""Ops, tensors and arrays of graphs."""

from __future__ import annotations

import json

import numpy as np
import opyard
import pytest
from opyard import _core

FILE = {
    "format": "opyard-graph/1",
    "name": "three",
    "ops": [
        {
            "name": "w",
            "type": "Variable",
            "param_bytes": 48,
            "outputs": [{"bytes": 24, "shape": [2, 3], "dtype": "f32", "alias": "params"}],
        },
        {
            "name": "a",
            "type": "MatMul",
            "inputs": [[0, 0], [0, 0]],
            "flops": 35,
            "bytes_accessed": 60,
            "workspace_bytes": 5,
            "release": 0.125,
            "phase": "forward",
            "layer": 2,
            "module": "encoder.0",
            "device_kinds": ["gpu", "tpu"],
            "colocation": "left",
            "dtype": "f16",
            "seconds": {"gpu": 0.25, "*": 0.5},
            "outputs": [{"bytes": 12}, {"bytes": 8, "shape": [2], "alias": 1}],
        },
        {
            "name": "b",
            "type": "Relu",
            "inputs": [[1, 1]],
            "control_inputs": [0],
            "outputs": [{"bytes": 8, "keep": True}],
        },
    ],
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    path = tmp_path_factory.mktemp("graphs") / "three.graph.json"
    path.write_text(json.dumps(FILE))
    return opyard.load_graph(path)


def test_an_op_tells_all_that_its_file_says(graph):
    op = graph.op(1)
    assert (op.index, op.name, op.type, op.dtype) == (1, "a", "MatMul", "f16")
    assert (op.flops, op.bytes_accessed, op.workspace_bytes) == (35.0, 60, 5)
    assert (op.module, graph.op(0).module) == ("encoder.0", None)
    assert (op.release, graph.op(2).release) == (0.125, 0.0)
    assert (op.phase, op.layer, op.colocation) == ("forward", 2, "left")
    assert op.device_kinds == ["gpu", "tpu"]
    assert op.fusion_class == "heavy"
    assert op.seconds == {"gpu": 0.25, "*": 0.5}
    assert (op.inputs, op.outputs, op.control_inputs) == ([0, 0], [1, 2], [])
    assert "MatMul" in repr(op)


def test_what_a_file_does_not_say_is_none_or_derived(graph):
    variable, _, relu = graph.ops
    assert (variable.param_bytes, variable.weight_bytes) == (48, 48)
    assert (relu.layer, relu.colocation, relu.phase) == (None, None, "unknown")
    assert (relu.seconds, relu.control_inputs) == ({}, [0])
    assert relu.bytes_accessed == 8 + 8  # what it reads and what it writes


def test_a_tensor_tells_who_makes_it_and_who_reads_it(graph):
    parameters, product, view, result = graph.tensors
    assert (parameters.producer, parameters.alias, parameters.consumers) == (0, "params", [1])
    assert (parameters.shape, parameters.dtype, parameters.bytes) == ((2, 3), "f32", 24)
    assert (product.alias, product.aliased, product.consumers) == ("none", None, [])
    assert (view.producer, view.output_index, view.alias, view.aliased) == (1, 1, "input", 0)
    assert (view.is_kept, result.is_kept) == (False, True)
    assert "output 1 of a" in repr(view)


def test_arrays_say_what_ops_and_tensors_say(graph):
    arrays = graph.arrays()
    for name in ("bytes_accessed", "param_bytes", "weight_bytes", "workspace_bytes"):
        assert arrays[f"op_{name}"].tolist() == [getattr(op, name) for op in graph.ops]
        assert arrays[f"op_{name}"].dtype == np.int64
    assert arrays["op_flops"].tolist() == [op.flops for op in graph.ops]
    assert arrays["tensor_bytes"].tolist() == [tensor.bytes for tensor in graph.tensors]
    assert arrays["tensor_producer"].tolist() == [tensor.producer for tensor in graph.tensors]
    # w feeds a twice, output 1 of a feeds b; b waits for w besides.
    assert arrays["edge_index"].tolist() == [[0, 0, 1], [1, 1, 2]]
    assert arrays["edge_tensor"].tolist() == [0, 0, 2]
    assert arrays["control_edge_index"].tolist() == [[0], [2]]
    assert arrays["topological_order"].tolist() == [0, 1, 2]


def test_arrays_are_copies(graph):
    graph.arrays()["tensor_bytes"][:] = 0
    assert graph.arrays()["tensor_bytes"].tolist() == [24, 12, 8, 8]


def test_a_graph_without_control_edges_has_an_array_of_none():
    arrays = opyard.load_graph("random:layered?n=5&seed=0").arrays()
    assert arrays["control_edge_index"].shape == (2, 0)


def test_parts_outlive_the_name_of_their_graph():
    op = opyard.load_graph("random:layered?n=5&seed=0").op(4)
    assert op.index == 4
    assert op.name


def test_parts_beyond_the_last_are_refused(graph):
    with pytest.raises(opyard.InputError, match="op: found 3, expected 0 to 2"):
        graph.op(3)
    with pytest.raises(opyard.InputError, match="tensor: found -1, expected 0 to 3"):
        graph.tensor(-1)


@pytest.mark.parametrize("kind", [list, np.int16, np.int32, np.int64, np.uint64], ids=str)
def test_actions_of_any_integer_type_are_worth_the_same(kind):
    problem = _core.Problem("random:layered?n=20&seed=3", "p100x2-pcie")
    rows = [[1, 2] * 10, [2, 1] * 10]
    actions = rows if kind is list else np.array(rows, dtype=kind)
    expected = problem.plan_of_action(rows[1])
    assert problem.plan_of_action(actions[1]) == expected
    evaluator = _core.Evaluator(problem, threads=1)
    assert evaluator.evaluate_actions(actions) == _core.Evaluator(problem).evaluate(
        [problem.plan_of_action(row) for row in rows]
    )
