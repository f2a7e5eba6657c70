"""ONNX models become graphs with their shapes, parameters and FLOPs; graphs become ONNX."""

from __future__ import annotations

import json
import random
from pathlib import Path

import onnx
import opyard
import pytest
from onnx import helper
from onnx_models import LIGHT, damaged, floats, save, small_network, weight
from opyard import cli
from opyard.export.errors import ExportError
from opyard.export.graph_writer import Op
from opyard.export.onnx_file import read_onnx


def by_name(ops: list[Op]) -> dict[str, Op]:
    return {op.name: op for op in ops}


def test_ops_carry_shapes_work_and_blocks(tmp_path: Path) -> None:
    graph, summary = read_onnx(small_network(tmp_path))
    ops = by_name(graph.ops)
    conv = {"n": 2, "c": 3, "h": 8, "w": 8, "k": 4, "r": 3, "s": 3, "pad_h": 1, "pad_w": 1}
    conv |= {"stride_h": 1, "stride_w": 1, "pass": "forward"}
    assert ops["conv"].conv == conv
    # 2·4·8·8 results of 3·3·3 multiply-adds each, and a bias.
    assert ops["conv"].flops == 512 * (2 * 27 + 1)
    assert ops["relu"].flops == 512
    assert ops["pool"].flops == 2 * 4 * 4 * 4 * 4
    assert ops["dense"].gemm == {"m": 2, "n": 5, "k": 64}
    assert ops["dense"].flops == 2 * 2 * 5 * 64 + 2 * 5
    assert ops["dense"].outputs[0].shape == (2, 5)
    assert ops["dense"].outputs[0].keep
    assert ops["flat"].outputs[0].alias == 0
    assert ops["flat"].bytes_accessed == 0
    assert ops["w"].type == "Variable"
    assert ops["w"].param_bytes == 4 * 4 * 3 * 3 * 3
    assert ops["x"].type == "Placeholder"
    assert summary.nodes_read == 6
    assert summary.folded == {"Dropout": 1, "constant of whole numbers": 1}
    assert summary.lines()[0] == "folded: 1 x Dropout"


def test_rows_against_one_matrix_are_one_product_and_pairs_are_a_batch(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], "shared"),
        helper.make_node("MatMul", ["a", "z"], ["y"], "pairs"),
    ]
    inputs = [floats("x", 6, 4, 8), floats("z", 6, 16, 4)]
    graph, _ = read_onnx(save(tmp_path, nodes, inputs, [weight("w", 8, 16)], "y"))
    ops = by_name(graph.ops)
    assert ops["shared"].gemm == {"m": 24, "n": 16, "k": 8}
    assert ops["pairs"].gemm == {"m": 4, "n": 4, "k": 16, "batch": 6}
    assert (ops["shared"].type, ops["pairs"].type) == ("MatMul", "BatchMatMul")


def test_a_recurrent_layer_multiplies_input_and_state_in_every_step(tmp_path: Path) -> None:
    nodes = [helper.make_node("LSTM", ["x", "w", "r"], ["y"], "lstm", hidden_size=16)]
    weights = [weight("w", 1, 64, 8), weight("r", 1, 64, 16)]
    graph, _ = read_onnx(save(tmp_path, nodes, [floats("x", 10, 2, 8)], weights, "y"))
    # 10 steps, 2 rows, 4·16 gates of 8 + 16 multiply-adds.
    assert by_name(graph.ops)["lstm"].flops == 10 * 2 * 64 * 24 * 2


def test_symbolic_dimensions_are_asked_for_all_at_once(tmp_path: Path) -> None:
    path = small_network(tmp_path, batch="batch")
    with pytest.raises(ExportError, match="give them by --dim batch=N"):
        read_onnx(path)
    graph, _ = read_onnx(path, {"batch": 7})
    assert by_name(graph.ops)["dense"].outputs[0].shape == (7, 5)


def test_what_is_not_known_is_named_and_not_zero(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Fancy", ["x"], ["a"], "fancy", domain="own"),
        helper.make_node("Relu", ["a"], ["y"], "relu"),
    ]
    graph, summary = read_onnx(save(tmp_path, nodes, [floats("x", 10, 10)], [], "y"))
    fancy = by_name(graph.ops)["fancy"]
    assert fancy.type == "Fancy"
    assert fancy.fusion_class is None
    assert fancy.outputs[0].bytes == 400  # as large as its input
    assert fancy.flops == 400
    assert summary.unknown_ops == {"Fancy": 1}
    assert summary.unknown_shapes == ["a", "y"]
    assert any("taken as opaque" in line for line in summary.lines())


def test_a_tensor_that_nobody_makes_is_refused(tmp_path: Path) -> None:
    nodes = [helper.make_node("Relu", ["nowhere"], ["y"], "relu")]
    path = save(tmp_path, nodes, [floats("x", 1)], [], "y")
    with pytest.raises(ExportError, match='reads "nowhere", which no node before it makes'):
        read_onnx(path)


# Parameters and multiply-adds of one image as the papers and model zoos state them; the batch
# normalisations of the two larger ones store mean and variance, too.
@pytest.mark.parametrize(
    ("name", "params", "gmac"),
    [
        ("bvlc_alexnet", 60_965_224, 0.66),
        ("resnet50", 25_557_032 + 2 * 26_560, 4.1),
        ("squeezenet", 1_235_496, 0.35),
        ("vgg19", 143_667_240, 19.6),
    ],
)
def test_real_models_have_the_published_size(name: str, params: int, gmac: float) -> None:
    graph, summary = read_onnx(LIGHT / f"light_{name}.onnx")
    assert sum(op.param_bytes for op in graph.ops) == 4 * params
    assert sum(op.flops for op in graph.ops) == pytest.approx(2e9 * gmac, rel=0.03)
    assert not summary.unknown_ops
    assert not summary.unknown_shapes


def test_damaged_models_are_read_or_refused(tmp_path: Path) -> None:
    original = small_network(tmp_path).read_bytes()
    rng = random.Random(7)
    path = tmp_path / "damaged.onnx"
    refused = 0
    for _ in range(300):
        data = damaged(original, rng)
        if rng.random() < 0.3:
            del data[rng.randrange(len(data)) :]
        path.write_bytes(data)
        try:
            read_onnx(path)
        except ExportError:
            refused += 1
    assert 50 < refused < 300


def test_the_command_converts_both_ways(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph_file = tmp_path / "net.json"
    model = small_network(tmp_path, batch="n")
    arguments = ["graph", "convert", str(model), "--dim", "n=3", "--out", str(graph_file)]
    assert cli.main(arguments) == 0
    assert "model (onnx): read 6 nodes, wrote 10 ops" in capsys.readouterr().out
    graph = opyard.load_graph(str(graph_file))
    problem = opyard.Problem(str(graph_file), "p100x2-pcie")
    evaluator = opyard.Evaluator(problem, threads=1)
    placement = [i % 2 for i in range(graph.num_ops)]
    assert evaluator.evaluate([opyard.Plan(placement)])[0]["makespan_s"] > 0

    plan_file = tmp_path / "plan.json"
    devices = [f"gpu{device}" for device in placement]
    plan_file.write_text(json.dumps({"format": "opyard-plan/1", "placement": devices}))
    shown = tmp_path / "shown.onnx"
    arguments = ["graph", "convert", str(graph_file), "--plan", str(plan_file), "--out", str(shown)]
    assert cli.main(arguments) == 0
    nodes = onnx.load(str(shown)).graph.node
    assert [node.name for node in nodes] == graph.op_names
    metadata = [{entry.key: entry.value for entry in node.metadata_props} for node in nodes]
    assert [entry["device"] for entry in metadata] == devices


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(small_network(tmp_path))
    for arguments, message in [
        ([model, "--out", str(tmp_path / "x.txt")], "ends in neither .json nor .json.gz"),
        ([model, "--dim", "n", "--out", str(tmp_path / "x.json")], "expected NAME=N"),
        (
            [str(tmp_path / "no.onnx"), "--out", str(tmp_path / "x.json")],
            "No such file or directory",
        ),
        ([model, "--out", str(tmp_path / "x.graphml")], "graph convert makes x.graphml of such"),
        (
            [model, "--plan", "p.json", "--out", str(tmp_path / "x.onnx")],
            "expected the graph that the plan is of",
        ),
    ]:
        assert cli.main(["graph", "convert", *arguments]) == 2
        assert message in capsys.readouterr().err
