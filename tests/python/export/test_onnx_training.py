"""ONNX models become training steps whose parts are those of their forward passes."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import opyard
import pytest
from onnx import TensorProto, helper
from onnx_models import LIGHT, damaged, floats, save, small_network, weight, whole
from opyard import _core, cli
from opyard.export.errors import ExportError
from opyard.export.onnx_file import read_onnx
from opyard.export.onnx_training import read_training_step
from opyard.export.onnx_training_ops import RULES

Record = dict[str, Any]


def train(model: Path, optimizer: str = "sgd") -> list[Record]:
    """The ops of the training step of `model`, as they stand in its file."""
    graph, _ = read_training_step(model, optimizer)
    path = model.parent / "step.json"
    _core.write_graph(graph, path)
    return json.loads(path.read_text())["ops"]


def of_phase(ops: list[Record], phase: str) -> list[Record]:
    return [op for op in ops if op["phase"] == phase]


def forward_flops(ops: list[Record]) -> float:
    """The FLOPs of the model, without the loss that is added behind it."""
    model = [op for op in of_phase(ops, "forward") if not op["name"].startswith("loss/")]
    return sum(op.get("flops", 0) for op in model)


def heavy_flops(ops: list[Record], phase: str) -> float:
    heavy = [op for op in of_phase(ops, phase) if "gemm" in op or "conv" in op]
    return sum(op["flops"] for op in heavy)


def imported_flops(model: Path) -> int:
    return sum(op.flops for op in read_onnx(model)[0].ops)


def num_updates(ops: list[Record]) -> int:
    return sum(op["type"].startswith("Apply") for op in ops)


def makespan(model: Path) -> float:
    """The makespan of the step that `train` wrote, on one of two devices."""
    problem = opyard.Problem(str(model.parent / "step.json"), "p100x2-pcie")
    plan = opyard.Plan([0] * opyard.load_graph(str(model.parent / "step.json")).num_ops)
    return opyard.Evaluator(problem, threads=1).evaluate([plan])[0]["makespan_s"]


def two_layers(folder: Path) -> Path:
    """6 rows, 8 -> 16 -> 4."""
    nodes = [
        helper.make_node("Gemm", ["x", "w", "b"], ["h"], "first"),
        helper.make_node("Relu", ["h"], ["r"], "relu"),
        helper.make_node("Gemm", ["r", "v", "c"], ["y"], "second", transB=1),
    ]
    weights = [weight("w", 8, 16), weight("b", 16), weight("v", 4, 16), weight("c", 4)]
    return save(folder, nodes, [floats("x", 6, 8)], weights, "y")


def test_dense_layers_have_two_gradient_products_but_the_first(tmp_path: Path) -> None:
    model = two_layers(tmp_path)
    ops = train(model)
    first, second = 2 * 6 * 8 * 16, 2 * 6 * 16 * 4
    assert heavy_flops(ops, "forward") == first + second
    assert heavy_flops(ops, "backward") == first + 2 * second  # the input needs no gradient
    assert forward_flops(ops) == imported_flops(model)
    assert num_updates(ops) == 4
    assert sum(op.get("param_bytes", 0) for op in ops) == 4 * (8 * 16 + 16 + 4 * 16 + 4)
    assert makespan(model) > 0


def test_a_weight_stands_with_its_gradient_and_its_update(tmp_path: Path) -> None:
    ops = train(two_layers(tmp_path))
    label = next(op["colocation"] for op in ops if op["name"] == "v")
    together = {op["type"] for op in ops if op.get("colocation") == label}
    assert {"Variable", "MatMul", "ApplyGradientDescent"} <= together
    gradient = next(op for op in ops if op.get("colocation") == label and op["type"] == "MatMul")
    assert gradient["phase"] == "backward"


@pytest.mark.parametrize(("optimizer", "slots"), [("sgd", 0), ("momentum", 1), ("adam", 2)])
def test_an_optimizer_keeps_its_state_beside_the_weights(
    optimizer: str, slots: int, tmp_path: Path
) -> None:
    ops = train(two_layers(tmp_path), optimizer)
    resident = sum(op.get("param_bytes", 0) for op in ops if op["phase"] == "forward")
    assert resident == (1 + slots) * 4 * (8 * 16 + 16 + 4 * 16 + 4)


def test_a_convolution_with_batch_norm_is_trained_on_statistics_of_the_batch(
    tmp_path: Path,
) -> None:
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], "conv", pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["c", "s", "o", "m", "v"], ["n"], "norm"),
        helper.make_node("Relu", ["n"], ["r"], "relu"),
        helper.make_node("GlobalAveragePool", ["r"], ["p"], "pool"),
        helper.make_node("Flatten", ["p"], ["f"], "flat"),
        helper.make_node("Gemm", ["f", "d"], ["y"], "dense"),
    ]
    weights = [weight("w", 4, 3, 3, 3), weight("d", 4, 5)]
    weights += [weight(name, 4) for name in "somv"]
    model = save(tmp_path, nodes, [floats("x", 2, 3, 8, 8)], weights, "y")
    ops = train(model)
    conv, dense = 2 * (2 * 4 * 8 * 8) * 27, 2 * 2 * 4 * 5
    assert heavy_flops(ops, "forward") == conv + dense
    assert heavy_flops(ops, "backward") == conv + 2 * dense  # no gradient of the image
    # At inference a batch norm scales and shifts, 2 per element; training takes 6 more.
    assert forward_flops(ops) == imported_flops(model) + 6 * (2 * 4 * 8 * 8)
    assert num_updates(ops) == 4  # filter, scale, offset, matrix: not mean and variance
    types = Counter(op["type"] for op in ops)
    assert types["FusedBatchNormGradV3"] == 1
    assert types["Assign"] == 2  # mean and variance are stored
    assert makespan(model) > 0


def attention(folder: Path) -> Path:
    """One head over 2 sequences of 5 words of 8 numbers, a sum and a norm behind it."""
    nodes = [
        helper.make_node("MatMul", ["x", "wq"], ["q"], "query"),
        helper.make_node("MatMul", ["x", "wk"], ["k"], "key"),
        helper.make_node("MatMul", ["x", "wv"], ["v"], "value"),
        helper.make_node("Transpose", ["k"], ["t"], "turn", perm=[0, 2, 1]),
        helper.make_node("MatMul", ["q", "t"], ["s"], "scores"),
        helper.make_node("Constant", [], ["f"], value_float=0.35),
        helper.make_node("Mul", ["s", "f"], ["sf"], "scale"),
        helper.make_node("Softmax", ["sf"], ["p"], "softmax"),
        helper.make_node("MatMul", ["p", "v"], ["a"], "mean"),
        helper.make_node("MatMul", ["a", "wo"], ["o"], "out"),
        helper.make_node("Add", ["x", "o"], ["r"], "residual"),
        helper.make_node("LayerNormalization", ["r", "g", "b"], ["y"], "norm"),
    ]
    weights = [weight(name, 8, 8) for name in ("wq", "wk", "wv", "wo")]
    return save(
        folder, nodes, [floats("x", 2, 5, 8)], [*weights, weight("g", 8), weight("b", 8)], "y"
    )


def test_attention_has_gradients_of_both_factors(tmp_path: Path) -> None:
    model = attention(tmp_path)
    ops = train(model, "adam")
    square, pairs = 2 * 10 * 8 * 8, 2 * 2 * 5 * 5 * 8
    assert heavy_flops(ops, "forward") == 4 * square + 2 * pairs
    # The input needs none of query, key and value; the output's and both pairs' are whole.
    assert heavy_flops(ops, "backward") == 3 * square + 2 * square + 2 * 2 * pairs
    assert forward_flops(ops) == imported_flops(model)
    assert num_updates(ops) == 6
    assert makespan(model) > 0


def test_a_scalar_first_output_is_the_loss(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], "product"),
        helper.make_node("ReduceMean", ["h"], ["y"], "mean", keepdims=0),
    ]
    model = save(tmp_path, nodes, [floats("x", 6, 8)], [weight("w", 8, 3)], "y")
    graph, summary = read_training_step(model, "sgd")
    assert summary.lines()[0] == "loss: y, the model's first output"
    assert not any("CrossEntropy" in name for name in graph.op_names)


def test_labels_are_compared_along_the_channels_of_an_image(tmp_path: Path) -> None:
    nodes = [helper.make_node("Conv", ["x", "w"], ["y"], "conv")]
    model = save(tmp_path, nodes, [floats("x", 2, 3, 5, 5)], [weight("w", 7, 3, 1, 1)], "y")
    _, summary = read_training_step(model, "sgd")
    # One label of seven for each of 2·5·5 places.
    assert summary.loss.endswith("against 50 labels of 7")


def test_all_that_cannot_be_trained_is_named_at_once(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("LRN", ["x"], ["a"], "norm1", size=5),
        helper.make_node("LRN", ["a"], ["b"], "norm2", size=5),
        helper.make_node("Fancy", ["x"], ["c"], "fancy", domain="own"),
        helper.make_node("Clip", ["w", "low", "high"], ["d"], "clip"),
        helper.make_node("Relu", ["b"], ["e"], "behind"),
        helper.make_node("Add", ["e", "w"], ["y"], "sum"),
    ]
    bounds = [
        helper.make_tensor(n, TensorProto.FLOAT, [], [v]) for n, v in (("low", 1), ("high", 2))
    ]
    weights = [weight("w", 1, 2, 3, 3), *bounds]
    model = save(tmp_path, nodes, [floats("x", 1, 2, 3, 3)], weights, "y")
    with pytest.raises(ExportError) as caught:
        read_training_step(model, "sgd")
    message = str(caught.value)
    assert "no gradient rule for Fancy (fancy); no gradient rule for LRN (norm1, norm2)" in message
    assert "node clip (Clip): clips to 1 .. 2, expected 0 .. 6" in message
    assert "behind" not in message


# Weights of the published networks as in test_onnx.py; batch normalisations train scale and offset.
@pytest.mark.parametrize(
    ("name", "params", "first"),
    [
        # First convolution: images of 224 x 224; filters, places, 3·extent² multiply-adds.
        ("resnet50", 25_557_032, 2 * 64 * 112 * 112 * 147),
        ("squeezenet", 1_235_496, 2 * 64 * 111 * 111 * 27),
        ("vgg19", 143_667_240, 2 * 64 * 224 * 224 * 27),
    ],
)
def test_published_networks_are_trained(name: str, params: int, first: int, tmp_path: Path) -> None:
    model = tmp_path / "model.onnx"
    model.write_bytes((LIGHT / f"light_{name}.onnx").read_bytes())
    ops = train(model)
    trained = [op for op in of_phase(ops, "forward") if op["type"] == "Variable"]
    assert sum(op["param_bytes"] for op in trained) == 4 * params
    assert num_updates(ops) == len(trained)
    forward = heavy_flops(ops, "forward")
    assert forward == sum(
        op.flops - (op.outputs[0].bytes // 4 if len(op.inputs) > 2 else 0)  # without the bias
        for op in read_onnx(model)[0].ops
        if op.gemm or op.conv
    )
    assert heavy_flops(ops, "backward") == 2 * forward - first


def test_what_reads_a_mask_is_refused(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Dropout", ["w"], ["d", "mask"], "drop"),
        helper.make_node("Where", ["mask", "w", "d"], ["y"], "where"),
    ]
    model = save(tmp_path, nodes, [], [weight("w", 2, 3)], "y")
    with pytest.raises(ExportError, match=r"node where \(Where\): reads the mask"):
        read_training_step(model, "sgd")


def test_damaged_models_are_trained_or_refused(tmp_path: Path) -> None:
    original = small_network(tmp_path).read_bytes()
    rng = random.Random(11)
    path = tmp_path / "damaged.onnx"
    refused = 0
    for _ in range(300):
        data = damaged(original, rng)
        path.write_bytes(data)
        try:
            read_training_step(path, "sgd")
        except ExportError:
            refused += 1
    assert 50 < refused < 300


def test_a_published_network_with_other_ops_says_which(tmp_path: Path) -> None:
    with pytest.raises(
        ExportError, match=r"cannot be trained: no gradient rule for LRN \(n2, n6\)$"
    ):
        read_training_step(LIGHT / "light_bvlc_alexnet.onnx", "sgd")


def test_the_command_writes_the_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(small_network(tmp_path, batch="n"))
    out = str(tmp_path / "step.json.gz")
    arguments = ["graph", "convert", model, "--train", "momentum", "--dim", "n=3", "--out", out]
    assert cli.main(arguments) == 0
    printed = capsys.readouterr().out
    graph = opyard.load_graph(out)
    assert f"read 6 nodes, wrote {graph.num_ops} ops" in printed
    assert "loss: mean cross-entropy of y, the first output, against 3 labels of 5" in printed
    assert cli.main(["graph", "convert", out, "--train", "sgd", "--out", model]) == 2
    assert "--train reads an ONNX model" in capsys.readouterr().err


# One node per op of the table: shapes of its weights, then its constants, then its attributes.
_INPUT_CASES: dict[str, tuple[list[tuple[int, ...]], list[Any], dict[str, Any]]] = {
    "Add": ([(2, 3), (3,)], [], {}),
    "Sub": ([(2, 3), (3,)], [], {}),
    "Mul": ([(2, 3), (2, 1)], [], {}),
    "Div": ([(2, 3), (2, 3)], [], {}),
    "Sum": ([(2, 3), (2, 3), (2, 3)], [], {}),
    "Neg": ([(2, 3)], [], {}),
    "Exp": ([(2, 3)], [], {}),
    "Log": ([(2, 3)], [], {}),
    "Sqrt": ([(2, 3)], [], {}),
    "Erf": ([(2, 3)], [], {}),
    "Pow": ([(2, 3), (3,)], [], {}),
    "Relu": ([(2, 3)], [], {}),
    "LeakyRelu": ([(2, 3)], [], {}),
    "Clip": ([(2, 3)], [0.0, 6.0], {}),
    "Sigmoid": ([(2, 3)], [], {}),
    "Tanh": ([(2, 3)], [], {}),
    "Gelu": ([(2, 3)], [], {}),
    "Softmax": ([(2, 3)], [], {"axis": 0}),
    "Gemm": ([(3, 2), (5, 3), (2, 5)], [], {"transA": 1, "transB": 1}),
    "MatMul": ([(4, 1, 2, 3), (5, 3, 2)], [], {}),
    "Conv": ([(2, 3, 5, 5), (4, 3, 3, 3), (4,)], [], {"pads": [0, 0, 1, 1], "strides": [2, 2]}),
    "ConvTranspose": ([(2, 6, 3, 3), (6, 4, 2, 2), (4,)], [], {"strides": [2, 2]}),
    "MaxPool": ([(2, 3, 5, 5)], [], {"kernel_shape": [3, 3], "auto_pad": "SAME_UPPER"}),
    "AveragePool": (
        [(2, 3, 5, 5)],
        [],
        {"kernel_shape": [2, 2], "ceil_mode": 1, "strides": [2, 2]},
    ),
    "GlobalAveragePool": ([(2, 3, 5, 5)], [], {}),
    "LayerNormalization": ([(2, 3, 5), (3, 5), (3, 5)], [], {"axis": 1}),
    "ReduceSum": ([(2, 3, 5)], [[0, -1]], {"keepdims": 0}),
    "ReduceMean": ([(2, 3, 5)], [], {"axes": [1]}),
    "Gather": ([(7, 3)], [[0, 2]], {}),
    "Concat": ([(2, 3), (2, 5)], [], {"axis": -1}),
    "Split": ([(2, 6)], [[2, 4]], {"axis": 1}),
    "Slice": ([(2, 6)], [[-4], [-1], [1]], {}),
    "Pad": ([(2, 3)], [[1, 0, 0, 2]], {}),
    "Transpose": ([(2, 3, 5)], [], {}),
    "Expand": ([(2, 1)], [[2, 3]], {}),
    "Reshape": ([(2, 6)], [[3, -1]], {}),
    "Flatten": ([(2, 3, 5)], [], {}),
    "Squeeze": ([(2, 1, 3)], [[1]], {}),
    "Unsqueeze": ([(2, 3)], [[0]], {}),
    "Identity": ([(2, 3)], [], {}),
}
# These have tests of their own below: their inputs are no weights, or training does more.
_OTHER_OPS = {"Where", "Less", "GreaterOrEqual", "Cast", "Dropout", "BatchNormalization", "Stack"}


def one_node(folder: Path, op: str) -> Path:
    """The node, and the sum of its results as the loss."""
    shapes, constants, attributes = _INPUT_CASES[op]
    weights = [weight(f"w{i}", *shape) for i, shape in enumerate(shapes)]
    for i, value in enumerate(constants):
        name = f"c{i}"
        is_whole = isinstance(value, list)
        weights.append(
            whole(name, value)
            if is_whole
            else helper.make_tensor(name, TensorProto.FLOAT, [], [value])
        )
    results = ["a", "b"] if op == "Split" else ["a"]
    nodes = [helper.make_node(op, [w.name for w in weights], results, "node", **attributes)]
    nodes.append(helper.make_node("ReduceSum", [results[-1]], ["y"], "total", keepdims=0))
    return save(folder, nodes, [], weights, "y", opset=20 if op == "Gelu" else 17)


def test_every_rule_has_a_case() -> None:
    assert set(_INPUT_CASES) | _OTHER_OPS == set(RULES)


@pytest.mark.parametrize("op", sorted(_INPUT_CASES))
def test_each_op_is_differentiated_and_does_the_work_of_inference(op: str, tmp_path: Path) -> None:
    model = one_node(tmp_path, op)
    ops = train(model)
    assert num_updates(ops) == len(_INPUT_CASES[op][0])
    assert forward_flops(ops) == imported_flops(model)


def test_a_mask_selects_and_needs_no_gradient(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Less", ["x", "limit"], ["m"], "less"),
        helper.make_node("GreaterOrEqual", ["x", "limit"], ["g"], "more"),
        helper.make_node("Cast", ["g"], ["gf"], "cast", to=TensorProto.FLOAT),
        helper.make_node("Where", ["m", "w", "gf"], ["y"], "where"),
    ]
    limit = helper.make_tensor("limit", TensorProto.FLOAT, [], [0.5])
    model = save(tmp_path, nodes, [floats("x", 2, 3)], [limit, weight("w", 2, 3)], "y")
    ops = train(model)
    assert num_updates(ops) == 1
    assert Counter(op["type"] for op in of_phase(ops, "backward"))["SelectV2"] == 1
    assert forward_flops(ops) == imported_flops(model)


def test_dropout_drops_in_training(tmp_path: Path) -> None:
    types = Counter(op["type"] for op in train(small_network(tmp_path)))
    assert types["RandomUniform"] == 1
    assert types["GreaterEqual"] == 1
