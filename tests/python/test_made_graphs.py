"""Graphs made of dicts, of arrays and of graphs of networkx, without files."""

from __future__ import annotations

import json
import sys

import networkx
import numpy as np
import opyard
import pytest
from opyard import _core

REFERENCES = [
    "inception_v3",
    "zoo:gnmt?scale=tiny",
    *(f"random:layered?n={n}&seed={n}" for n in (2, 17, 60, 300)),
]


@pytest.fixture(scope="module", params=REFERENCES)
def graph(request):
    return opyard.load_graph(request.param)


def three() -> dict:
    """A graph with some of everything."""
    return {
        "format": "opyard-graph/1",
        "name": "three",
        "origin": "by hand",
        "measured": "kernel",
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
                "flops": 35.5,
                "gemm": {"m": 2, "n": 3, "k": 4},
                "seconds": {"gpu": 0.25, "*": 0.5},
                "device_kinds": ["gpu", "tpu"],
                "layer": 2,
                "outputs": [{"bytes": 12}, {"bytes": 8, "shape": [2], "alias": 1}],
            },
            {
                "name": "b",
                "type": "Relu",
                "inputs": [[1, 1]],
                "control_inputs": [0],
                "colocation": "left",
                "outputs": [{"bytes": 8, "keep": True}],
            },
        ],
    }


def test_a_dict_makes_what_a_file_makes(tmp_path):
    path = tmp_path / "three.graph.json"
    path.write_text(json.dumps(three()))
    assert opyard.Graph.from_dict(three()) == opyard.load_graph(path)


def test_a_graph_survives_its_dict(graph):
    assert opyard.Graph.from_dict(graph.to_dict()) == graph


def test_the_dict_is_what_the_file_holds(graph, tmp_path):
    _core.write_graph(graph, tmp_path / "g.graph.json")
    assert graph.to_dict() == json.loads((tmp_path / "g.graph.json").read_text())


def test_numbers_of_numpy_and_tuples_are_numbers_and_lists():
    values = three()
    values["ops"][1]["flops"] = np.float32(35.5)
    values["ops"][1]["inputs"] = np.zeros((2, 2), np.uint8)
    values["ops"][0]["outputs"][0]["shape"] = (np.int64(2), np.array(3))
    values["ops"] = tuple(values["ops"])
    assert opyard.Graph.from_dict(values) == opyard.Graph.from_dict(three())


def changed(path: str, value: object) -> dict:
    """`three()` with another value at a place."""
    values = three()
    *parents, last = [int(key) if key.isdecimal() else key for key in path.split("/")]
    target = values
    for key in parents:
        target = target[key]
    target[last] = value
    return values


def nested(levels: int) -> list:
    value: list = []
    for _ in range(levels):
        value = [value]
    return value


def looped() -> list:
    value: list = []
    value += [value, value]
    return value


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("ops/1/flops", float("nan"), "graph#/ops/1/flops: found nan, expected a finite number"),
        ("ops/1/flops", float("inf"), "graph#/ops/1/flops: found inf, expected a finite number"),
        ("ops/1/flops", -1, "graph#/ops/1/flops: found -1"),
        ("ops/1/flops", "7", 'graph#/ops/1/flops: found "7"'),
        ("ops/0/param_bytes", 2**63, "graph#/ops/0/param_bytes: found a whole number beyond 64"),
        ("ops/0/param_bytes", -(2**5000), "graph#/ops/0/param_bytes: found a whole number beyond"),
        ("ops/0/param_bytes", np.uint64(2**63), "graph#/ops/0/param_bytes: found a whole number"),
        ("ops/0/param_bytes", 0.5, "graph#/ops/0/param_bytes: found 0.5"),
        ("ops/0/param_bytes", True, "graph#/ops/0/param_bytes: found true"),
        ("ops/0/outputs/0/bytes", None, "graph#/ops/0/outputs/0/bytes: found null"),
        ("ops/2/inputs", [[7, 0]], "graph#/ops/2/inputs/0/0: found 7, expected the index of an op"),
        ("ops/0/inputs", [[2, 0]], "graph#/ops.*cycle"),
        ("ops/0/name", "b", "graph#/ops/2/name"),
        ("ops/0/colour", "red", 'graph#/ops/0/colour: unknown key|graph#/ops/0: .*"colour"'),
        ("ops/0/name", "\ud800", r"graph#/ops/0/name: found text with half a character"),
        ("ops/0/name", object(), 'graph#/ops/0/name: found a value of the type "object"'),
        ("ops/0/name", {1}, 'graph#/ops/0/name: found a value of the type "set"'),
        ("ops/0/name", np.ndarray, 'graph#/ops/0/name: found a value of the type "type"'),
        ("ops/0/1", 3, None),
        ("ops", nested(40), "nested deeper than 32 levels"),
        ("ops", nested(100_000), "nested deeper than 32 levels"),
        ("ops", looped(), "nested deeper than 32 levels"),
        ("format", "opyard-graph/2", "graph#/format: found"),
        ("ops", [], "graph#"),
        ("ops", np.array([object()]), 'graph#/ops/0: found a value of the type "object"'),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else None,
)
def test_a_malformed_dict_is_refused_with_its_place(path, value, message):
    if message is None:
        values = changed("ops/0", {1: 3})
        message = 'graph#/ops/0: found a key of the type "int", expected text'
    else:
        values = changed(path, value)
    with pytest.raises(opyard.InputError, match=message):
        opyard.Graph.from_dict(values)


def test_all_problems_of_a_dict_are_reported_at_once():
    values = changed("ops/1/flops", float("nan"))
    values["ops"][0]["name"] = {3}
    with pytest.raises(opyard.InputError) as error:
        opyard.Graph.from_dict(values)
    assert [line.split(":")[0] for line in str(error.value).splitlines()] == [
        "graph#/ops/0/name",
        "graph#/ops/1/flops",
    ]


def test_a_value_that_changes_its_dict_while_it_is_read_does_no_harm():
    values = three()

    class Evil:
        def tolist(self):
            values["ops"].clear()
            values.clear()
            return "x"

    values["ops"][1]["name"] = Evil()
    assert opyard.Graph.from_dict(values).op_names == ["w", "x", "b"]

    class Endless:
        def tolist(self):
            return self

    with pytest.raises(opyard.InputError, match="nested deeper"):
        opyard.Graph.from_dict(changed("ops/0/name", Endless()))


def test_an_error_of_a_value_comes_through():
    class Broken:
        def tolist(self):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        opyard.Graph.from_dict(changed("ops/0/name", Broken()))


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
    ids=lambda value: str(value)[:40],
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
    with pytest.raises(TypeError, match="arrays: found .*list.*, expected a dict of arrays"):
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


def test_a_graph_survives_networkx(graph):
    made = graph.to_networkx()
    assert list(made) == list(range(graph.num_ops))
    assert made.number_of_edges() == graph.num_data_edges + graph.num_control_edges
    assert opyard.Graph.from_networkx(made) == graph


def test_a_graph_with_some_of_everything_survives_networkx():
    graph = opyard.Graph.from_dict(three())
    assert opyard.Graph.from_networkx(graph.to_networkx()) == graph


def diamond() -> networkx.DiGraph:
    made = networkx.DiGraph(name="diamond")
    made.add_node("a", type="MatMul", flops=2e9, param_bytes=4096)
    made.add_node("b", type="Relu", flops=np.float64(1e6), device_kinds=["gpu"])
    made.add_node("c", type="MatMul", gemm={"m": 2, "n": 3, "k": 4}, seconds={"gpu": 0.5, "*": 1})
    made.add_node("d", type="Add", phase="forward", layer=3, colocation=None)
    made.add_edge("a", "b", bytes=1024)
    made.add_edge("a", "c", bytes=np.int32(1024))
    made.add_edge("c", "d", bytes=10, input=0)
    made.add_edge("b", "d", bytes=20, input=1)
    made.add_edge("a", "d", control=True)
    return made


def test_attributes_of_networkx_mean_what_they_mean_in_files():
    with pytest.warns(UserWarning, match=r"FLOPs, taken to move its tensors alone \(d\)"):
        graph = opyard.Graph.from_networkx(diamond())
    a, b, c, d = graph.ops
    assert graph.name == "diamond"
    assert graph.op_names == ["a", "b", "c", "d"]
    assert (a.type, a.flops, a.param_bytes) == ("MatMul", 2e9, 4096)
    assert b.device_kinds == ["gpu"]
    assert c.seconds == {"gpu": 0.5, "*": 1.0}
    assert (d.phase, d.layer, d.colocation, d.control_inputs) == ("forward", 3, None, [0])
    assert [graph.tensor(t).producer for t in d.inputs] == [2, 1]  # in the order of `input`
    assert [graph.tensor(t).bytes for t in d.inputs] == [10, 20]
    assert b.inputs == c.inputs  # one tensor of a, as both edges are of one size


def test_a_bare_graph_of_networkx_has_defaults_and_says_so():
    bare = networkx.DiGraph([(7, 3), (3, 5), (7, 5)])
    with pytest.warns(UserWarning, match="op type, which .* opaque"):
        graph = opyard.Graph.from_networkx(bare)
    assert graph.op_names == ["7", "3", "5"]
    assert [op.flops for op in graph.ops] == [0.0, 0.0, 0.0]
    assert {tensor.bytes for tensor in graph.tensors} == {0}


def test_weights_of_networkx_have_units():
    weighted = networkx.DiGraph()
    weighted.add_node("a", cost=3)
    weighted.add_node("b", cost=5)
    weighted.add_edge("a", "b", weight=7)
    with pytest.warns(UserWarning):
        graph = opyard.Graph.from_networkx(weighted, seconds_per_cost=0.5, bytes_per_size=1024)
    assert [op.seconds for op in graph.ops] == [{"*": 1.5}, {"*": 2.5}]
    assert graph.tensor(0).bytes == 7 * 1024


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("seed", range(5))
def test_the_edges_of_any_dag_of_networkx_are_those_of_its_graph(seed):
    source = networkx.gnp_random_graph(20, 0.2, seed=seed, directed=True)
    dag = networkx.DiGraph([(u, v) for u, v in source.edges if u < v])
    graph = opyard.Graph.from_networkx(dag)
    index = {node: i for i, node in enumerate(dag)}
    found = {tuple(edge) for edge in graph.arrays()["edge_index"].T.tolist()}
    assert found == {(index[u], index[v]) for u, v in dag.edges}


def test_the_nodes_of_a_graph_of_networkx_keep_their_attributes():
    source = diamond()
    before = networkx.to_dict_of_dicts(source), dict(source.nodes(data=True))
    opyard.Graph.from_networkx(source)
    assert before == (networkx.to_dict_of_dicts(source), dict(source.nodes(data=True)))


def with_node(**attributes: object) -> networkx.DiGraph:
    made = diamond()
    made.nodes["b"].update(attributes)
    return made


def with_edge(**attributes: object) -> networkx.DiGraph:
    made = diamond()
    made.edges["b", "d"].update(attributes)
    return made


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("source", "message"),
    [
        (networkx.Graph([(1, 2)]), "source: found an undirected graph, expected a networkx.DiGr"),
        (networkx.DiGraph(), "graph"),
        (networkx.DiGraph([(1, 2), (2, 1)]), "cycle"),
        (networkx.DiGraph([(1, 1)]), "cycle|itself"),
        (networkx.DiGraph([(1, "1")]), "node '1': found two keys with this text"),
        (with_node(flops=float("nan")), "^node 'b': flops: found nan, expected a finite number"),
        (with_node(flops=-1), "^node 'b': flops: found -1"),
        (with_node(param_bytes=2**70), "^node 'b': param_bytes: found"),
        (with_node(device_kinds=["gpuu"]), "^node 'b': device_kinds/0: found \"gpuu\", expected"),
        (with_node(gemm={"m": {1}}), "^node 'b': gemm: found dict, expected text, a number"),
        (with_node(phase=object()), "^node 'b': phase: found object, expected text, a number"),
        (with_edge(bytes=-5), "^edge 'b' -> 'd': bytes: found \"-5\", expected"),
        (with_edge(bytes=float("inf")), "^edge 'b' -> 'd': bytes: found inf, expected a finite"),
        (with_edge(control="perhaps"), "^edge 'b' -> 'd': control: found \"perhaps\", expected"),
        (with_edge(input=[1]), "^edge 'b' -> 'd': input: found"),
        (with_edge(input=0), "input"),
    ],
)
def test_a_malformed_graph_of_networkx_is_refused(source, message):
    with pytest.raises(opyard.InputError, match=message):
        opyard.Graph.from_networkx(source)


def test_texts_that_xml_does_not_hold_end_in_an_error():
    for text in ("\x00", "\x07", "\ud800"):
        made = networkx.DiGraph([(text, "b")])
        made.add_node(text, type=text)
        with pytest.raises(opyard.InputError):
            opyard.Graph.from_networkx(made)


@pytest.mark.parametrize("source", [3, {}, type("Fake", (), {"is_directed": lambda self: True})()])
def test_what_is_no_graph_of_networkx_is_a_type_error(source):
    with pytest.raises(TypeError, match=r"source: found \w+, expected a networkx.DiGraph"):
        opyard.Graph.from_networkx(source)


def test_opyard_does_not_load_networkx():
    assert "networkx" in sys.modules  # here
    import subprocess

    code = "import sys, opyard; assert 'networkx' not in sys.modules and 'PIL' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
