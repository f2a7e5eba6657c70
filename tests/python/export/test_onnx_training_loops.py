"""Loops of ONNX models are trained where their iterations stand one by one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from onnx import TensorProto, helper
from onnx_models import body, floats, number, save_model, typed, weight
from opyard import _core
from opyard.export.errors import ExportError
from opyard.export.onnx_opening import Limits
from opyard.export.onnx_training import read_training_step


def loop(folder: Path, trips: int) -> Path:
    """h = relu(h w) `trips` times; the loss is the sum of all h."""
    nodes = [
        helper.make_node("MatMul", ["h_in", "w"], ["p"], "mm"),
        helper.make_node("Relu", ["p"], ["h_out"], "relu"),
        helper.make_node("Identity", ["h_out"], ["each"]),
        helper.make_node("Identity", ["cond_in"], ["cond_out"]),
    ]
    inputs = [typed("i", TensorProto.INT64), typed("cond_in", TensorProto.BOOL)]
    layers = body(nodes, [*inputs, floats("h_in", 6, 8)], "cond_out h_out each")
    nodes = [
        helper.make_node("Loop", ["n", "", "x"], ["last", "all"], "layers", body=layers),
        helper.make_node("ReduceSum", ["all"], ["y"], "total", keepdims=0),
    ]
    weights = [number("n", trips, TensorProto.INT64), weight("w", 8, 8)]
    return save_model(folder, nodes, [floats("x", 6, 8)], weights, opset=17)


def test_an_opened_loop_is_trained(tmp_path: Path) -> None:
    graph, _ = read_training_step(loop(tmp_path, 3), "sgd")
    path = tmp_path / "step.json"
    _core.write_graph(graph, path)
    ops = json.loads(path.read_text())["ops"]
    product = 2 * 6 * 8 * 8
    heavy = [(op["phase"], op["flops"]) for op in ops if "gemm" in op]
    # No gradient of the input.
    assert sorted(heavy) == [("backward", product)] * 5 + [("forward", product)] * 3
    updates = [op for op in ops if op["type"].startswith("Apply")]
    assert len(updates) == 1  # one weight for all layers
    assert "layers/1/mm" in {op["name"].rpartition("/")[0] for op in ops}


def test_a_loop_that_is_not_unrolled_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="stands in a loop that is not unrolled"):
        read_training_step(loop(tmp_path, 9), "sgd", limits=Limits(trips=4))
