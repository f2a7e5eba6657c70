"""Graphs made of arrays, without files."""

from __future__ import annotations

import json

import numpy as np
import opyard
import pytest
from case_names import case_name
from made_graphs import REFERENCES


@pytest.fixture(scope="module", params=REFERENCES)
def graph(request):
    return opyard.load_graph(request.param)


def same_arrays(first: opyard.Graph, second: opyard.Graph) -> bool:
    a, b = first.arrays(), second.arrays()
    return a.keys() == b.keys() and all(
        np.array_equal(a[key], b[key]) and a[key].dtype == b[key].dtype for key in a
    )


def test_arrays_of_a_graph_make_a_graph_of_equal_arrays(graph):
    again = opyard.Graph.from_arrays(graph.arrays())
    assert same_arrays(again, graph)
    assert again.op_names[:2] == ["op0", "op1"]


def test_names_and_types_may_be_given(graph):
    again = opyard.Graph.from_arrays(
        graph.arrays(),
        name="mine",
        op_names=graph.op_names,
        op_types=[op.type for op in graph.ops],
    )
    assert (again.name, again.op_names) == ("mine", graph.op_names)
    assert [op.type for op in again.ops] == [op.type for op in graph.ops]
    assert same_arrays(again, graph)


def two_ops(**changes: object) -> dict:
    """Arrays of an op that another one reads twice."""
    arrays = {
        "op_flops": np.array([1e9, 2e9]),
        "tensor_bytes": np.array([4096]),
        "tensor_producer": np.array([0]),
        "edge_index": np.array([[0, 0], [1, 1]]),
        "edge_tensor": np.array([0, 0]),
    }
    return {key: value for key, value in (arrays | changes).items() if value is not None}


def test_what_is_left_out_is_as_in_files(tmp_path):
    path = tmp_path / "two.graph.json"
    output = {"bytes": 4096}
    ops = [
        {"name": "op0", "type": "Task", "flops": 1e9, "outputs": [output]},
        {"name": "op1", "type": "Task", "flops": 2e9, "inputs": [[0, 0], [0, 0]]},
    ]
    path.write_text(json.dumps({"format": "opyard-graph/1", "name": "graph", "ops": ops}))
    assert opyard.Graph.from_arrays(two_ops()) == opyard.load_graph(path)


def test_seconds_replace_the_cost_model_where_they_are_known():
    graph = opyard.Graph.from_arrays(two_ops(), op_seconds=[0.25, float("nan")])
    assert [op.seconds for op in graph.ops] == [{"*": 0.25}, {}]


def test_arrays_of_any_integer_type_and_layout_are_read():
    edges = np.array([[0, 1], [0, 1]], np.uint8, order="F").T
    arrays = two_ops(edge_index=edges.astype(np.uint16), edge_tensor=[0, 0], op_flops=[1, 2])
    arrays["tensor_bytes"] = np.array([4096, 7], np.int32)[::2]
    assert same_arrays(opyard.Graph.from_arrays(arrays), opyard.Graph.from_arrays(
        two_ops(op_flops=np.array([1.0, 2.0]))
    ))  # fmt: skip


def test_arrays_may_come_from_a_file_of_numpy(tmp_path):
    np.savez(tmp_path / "two.npz", **two_ops())
    with np.load(tmp_path / "two.npz") as arrays:
        assert opyard.Graph.from_arrays(arrays) == opyard.Graph.from_arrays(two_ops())


def test_a_graph_without_edges_may_have_empty_arrays():
    graph = opyard.Graph.from_arrays(
        two_ops(tensor_bytes=[], tensor_producer=[], edge_index=np.zeros((2, 0)), edge_tensor=[])
    )
    assert (graph.num_ops, graph.num_tensors, graph.num_data_edges) == (2, 0, 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"op_flops": None}, 'arrays#: the key "op_flops" is missing'),
        ({"op_flop": [1]}, 'arrays#: found the key "op_flop", expected one of .*did you mean'),
        ({3: [1]}, 'arrays#: found the key "3"'),
        ({"op_flops": [1, float("nan")]}, "arrays#/op_flops/1: found nan, expected a finite"),
        ({"op_flops": [-1, 1]}, "arrays#/op_flops/0: found -1, expected a finite number"),
        ({"op_flops": [1, float("inf")]}, "arrays#/op_flops/1: found inf"),
        ({"op_flops": ["1", "2"]}, "arrays#/op_flops: found an array of <U1, expected one of num"),
        ({"op_flops": [[1, 2]]}, r"arrays#/op_flops: found the shape \(1, 2\), expected one dim"),
        ({"op_flops": object()}, "arrays#/op_flops: found .*, expected one of numbers"),
        ({"op_flops": [[1], [1, 2]]}, "arrays#/op_flops: found no array"),
        ({"op_flops": []}, "arrays#/op_flops: found 0 ops, expected 1 to 2097152"),
        ({"op_flops": np.zeros(2, complex)}, "arrays#/op_flops: found an array of complex128"),
        ({"tensor_bytes": [1.5]}, "arrays#/tensor_bytes: found an array of float64, expected one"),
        ({"tensor_bytes": [-1]}, "arrays#/tensor_bytes/0: found -1, expected a whole number from"),
        ({"tensor_bytes": np.array([2**63], np.uint64)}, "found 9223372036854775808, expected"),
        ({"tensor_bytes": [True]}, "arrays#/tensor_bytes: found an array of bool"),
        ({"tensor_bytes": [2**63 - 1] * 2, "tensor_producer": [0, 0]}, "graph#"),
        ({"tensor_producer": [2]}, "arrays#/tensor_producer/0: found 2, expected a whole number"),
        ({"tensor_producer": [0, 0]}, r"arrays#/tensor_producer: found the shape \(2,\), expected"),
        (
            {"tensor_bytes": [1, 1], "tensor_producer": [1, 0]},
            "arrays#/tensor_producer/1: found 0 after 1, expected tensors in the order",
        ),
        ({"edge_index": [[0, 0]]}, r"arrays#/edge_index: found the shape \(1, 2\), expected \[2, "),
        ({"edge_index": [[0, 0], [1, 9]]}, "arrays#/edge_index/1/1: found 9, expected a whole"),
        ({"edge_index": [[0, 1], [1, 1]]}, "arrays#/edge_index/0/1: found 1, expected 0, the prod"),
        ({"edge_tensor": [0]}, r"arrays#/edge_tensor: found the shape \(1,\), expected \[2\]"),
        ({"edge_tensor": [0, 1]}, "arrays#/edge_tensor/1: found 1, expected a whole number from 0"),
        ({"edge_index": [[0, 0], [1, 0]]}, "graph#.*cycle|graph#.*itself"),
        ({"control_edge_index": [[1], [0]]}, "graph#.*cycle"),
        ({"control_edge_index": [[1], [-1]]}, "arrays#/control_edge_index/1/0: found -1"),
        ({"op_param_bytes": [1]}, r"arrays#/op_param_bytes: found the shape \(1,\), expected \[2"),
        ({"op_workspace_bytes": [1, -2]}, "arrays#/op_workspace_bytes/1: found -2"),
    ],
    ids=lambda value: case_name(value)[:40],
)
def test_malformed_arrays_are_refused_with_their_place(changes, message):
    with pytest.raises(opyard.InputError, match=message):
        opyard.Graph.from_arrays(two_ops(**changes) if 3 not in changes else two_ops() | changes)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"op_names": ["a"]}, "op_names: found 1 texts, expected 2, one per op"),
        ({"op_types": ["a"] * 3}, "op_types: found 3 texts, expected 2"),
        ({"op_names": ["a", "a"]}, "graph#/ops/1/name"),
        ({"op_names": ["", "a"]}, "graph#/ops/0/name"),
        ({"op_seconds": [1, -1]}, "arrays#/op_seconds/1: found -1"),
        ({"op_seconds": [1, 1e300]}, "graph#/ops/1/seconds"),
        ({"op_seconds": [1]}, r"arrays#/op_seconds: found the shape \(1,\), expected \[2\]"),
    ],
    ids=str,
)
def test_malformed_words_are_refused(keywords, message):
    with pytest.raises(opyard.InputError, match=message):
        opyard.Graph.from_arrays(two_ops(), **keywords)


def test_arrays_are_a_mapping():
    with pytest.raises(TypeError, match=r"arrays: found .*list.*, expected a dict of arrays"):
        opyard.Graph.from_arrays([1, 2])


def test_random_damage_to_arrays_ends_in_an_input_error_or_a_graph():
    """Whatever number stands anywhere, nothing else happens."""
    rng = np.random.default_rng(5)
    whole = opyard.load_graph("random:layered?n=20&seed=1").arrays()
    outcomes = set()
    for _ in range(300):
        arrays = {key: array.copy() for key, array in whole.items()}
        array = arrays[rng.choice([key for key in arrays if arrays[key].size])]
        bad = rng.choice([-(2**63), -1, 0, 19, 20, 2**31, 2**63 - 1])
        array.reshape(-1)[rng.integers(array.size)] = bad
        try:
            outcomes.add(type(opyard.Graph.from_arrays(arrays)))
        except opyard.InputError:
            outcomes.add(opyard.InputError)
    assert outcomes == {opyard.Graph, opyard.InputError}
