"""Graphs made of those of networkx, and back."""

from __future__ import annotations

import subprocess
import sys

import networkx
import numpy as np
import opyard
import pytest
from made_graphs import REFERENCES, three


@pytest.fixture(scope="module", params=REFERENCES)
def graph(request):
    return opyard.load_graph(request.param)


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
    with pytest.warns(UserWarning, match="op type"):
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
    code = "import sys, opyard; assert 'networkx' not in sys.modules and 'PIL' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_networkx_it_says_what_to_install(monkeypatch):
    graph = opyard.load_graph("random:layered?n=5&seed=1")
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match=r"pip install 'opyard\[networkx\]'"):
        graph.to_networkx()
