"""The exporter's graphs of small training steps, and goldens of two whole models."""

# ruff: noqa: E402
from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from graph_checker import find_problems, read_graph, totals
from opyard.export.command import export_torch
from opyard.export.errors import ExportError
from opyard.export.graph_writer import graph_text
from torch import nn
from torch.nn import functional

ROOT = Path(__file__).parents[3]
Graph = dict[str, Any]

needs_pinned_torch = pytest.mark.skipif(
    torch.__version__.partition("+")[0] != "2.13.0",
    reason="another PyTorch may trace other ATen ops",
)


def export(function: str, optimizer: str = "none") -> Graph:
    graph = json.loads(graph_text(export_torch(f"{__name__}:{function}", None, optimizer)))
    assert find_problems(graph) == []
    return graph


def find(graph: Graph, name: str) -> dict[str, Any]:
    return next(op for op in graph["ops"] if op["name"] == name)


def of_type(graph: Graph, kind: str) -> list[dict[str, Any]]:
    return [op for op in graph["ops"] if op["type"] == kind]


def inputs_of(graph: Graph, op: dict[str, Any]) -> list[tuple[str, int]]:
    return [(graph["ops"][producer]["name"], port) for producer, port in op["inputs"]]


# `./dev goldens` remakes the files; their first line holds the command that makes one.
@needs_pinned_torch
@pytest.mark.parametrize(
    ("name", "optimizer"), [("resnet_tiny", "momentum"), ("gnmt_tiny", "none")]
)
def test_small_model_exports_to_its_golden_file(name: str, optimizer: str) -> None:
    golden = ROOT / "tests" / "golden" / f"{name}.graph.json"
    found = graph_text(export_torch(f"opyard.export.models:{name}", None, optimizer))
    if "OPYARD_REMAKE_GOLDENS" in os.environ:
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")


@needs_pinned_torch
def test_shipped_vgg16_is_what_its_command_makes_today() -> None:
    shipped = read_graph(ROOT / "graphs" / "data" / "vgg16.graph.json.gz")
    fresh = graph_text(export_torch("opyard.export.models:vgg16", None, "momentum"))
    assert json.loads(fresh) == shipped


def test_inception_without_auxiliary_head_has_the_published_counts() -> None:
    graph = json.loads(
        graph_text(export_torch("opyard.export.models:inception_v3_without_aux", None, "sgd"))
    )
    # torchvision: 27,161,264 parameters with the auxiliary head, 23,834,568 without
    # (`aux_logits=False`); 5.71 G multiply-adds per image.
    assert totals(graph).parameters == 23_834_568
    assert totals(graph).macs["forward"] == pytest.approx(32 * 5.71e9, rel=0.03)


def two_dense() -> tuple:
    model = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 2))
    return model, torch.ones(7, 3), lambda y: y.sum()


def test_dense_layer_has_its_gemm_and_flops() -> None:
    op = find(export("two_dense"), "0/MatMul")
    assert op["gemm"] == {"m": 7, "n": 5, "k": 3}
    assert op["flops"] == 2 * 7 * 5 * 3 + 7 * 5  # and the bias


def test_gradients_are_kept_outputs_without_an_optimizer() -> None:
    graph = export("two_dense")
    kept = [out for op in graph["ops"] for out in op.get("outputs", []) if out.get("keep")]
    # The loss and the gradients of two weights and two biases.
    assert sorted(out["shape"] for out in kept) == [[], [2], [2, 5], [5], [5, 3]]
    assert not any(op["phase"] == "update" for op in graph["ops"])


def test_update_waits_for_the_ops_that_still_read_the_weight() -> None:
    graph = export("two_dense", "sgd")
    update = find(graph, "2.weight/ApplyGradient")
    readers = [graph["ops"][index] for index in update["control_inputs"]]
    # Forward [7, 5] x [5, 2]; input gradient [7, 2] x [2, 5]. The weight's own gradient needs
    # neither: with a sum as loss it starts from a constant.
    products = [{"m": 7, "n": 2, "k": 5}, {"m": 7, "n": 5, "k": 2}]
    assert [op["gemm"] for op in readers] == products
    assert update["outputs"][0]["alias"] == 0
    assert update["flops"] == 2 * 2 * 5


def test_momentum_is_resident_and_its_update_moves_five_times_the_weight() -> None:
    graph = export("two_dense", "momentum")
    assert find(graph, "0.weight")["param_bytes"] == 2 * 4 * 15
    # Reads weight, gradient, momentum; writes weight, momentum.
    assert find(graph, "0.weight/ApplyGradient")["bytes_accessed"] == 5 * 4 * 15


def test_adam_keeps_two_states_and_its_update_moves_seven_times_the_weight() -> None:
    graph = export("two_dense", "adam")
    weight = next(op for op in of_type(graph, "Variable") if op["name"].endswith("weight"))
    size = weight["outputs"][0]["bytes"]
    assert weight["param_bytes"] == 3 * size
    update = find(graph, weight["name"] + "/ApplyGradient")
    # Reads weight, gradient and two states; writes weight and two states.
    assert update["bytes_accessed"] == 7 * size
    assert update["flops"] == 12 * size // 4


def test_the_forward_pass_alone_has_no_gradients() -> None:
    step = export("two_dense")
    graph = json.loads(graph_text(export_torch(f"{__name__}:two_dense", forward=True)))
    assert find_problems(graph) == []
    assert {op["phase"] for op in graph["ops"]} == {"forward"}
    products = sum(op["phase"] == "forward" for op in of_type(step, "MatMul"))
    assert len(of_type(graph, "MatMul")) == products > 0
    assert any(output.get("keep") for op in graph["ops"] for output in op["outputs"])


def test_the_forward_pass_needs_no_scalar_loss() -> None:
    graph = json.loads(graph_text(export_torch(f"{__name__}:without_loss", forward=True)))
    kept = [o for op in graph["ops"] for o in op["outputs"] if o.get("keep")]
    assert [output["shape"] for output in kept] == [[5, 2]]


def without_loss() -> tuple:
    return nn.Linear(3, 2), torch.ones(5, 3)


def test_an_optimizer_for_the_forward_pass_is_refused() -> None:
    with pytest.raises(ExportError, match="--forward has no gradients"):
        export_torch(f"{__name__}:two_dense", None, "adam", forward=True)


def test_transposed_weight_is_a_view_without_cost() -> None:
    graph = export("two_dense")
    view = find(graph, "0/Transpose")
    assert view["outputs"][0]["alias"] == 0
    assert view["bytes_accessed"] == 0
    assert "flops" not in view


def test_transpose_of_the_transpose_reads_the_weight_itself() -> None:
    graph = export("two_dense")
    backward = [op for op in of_type(graph, "MatMul") if op.get("gemm") == {"m": 7, "n": 5, "k": 2}]
    assert ("2.weight", 0) in inputs_of(graph, backward[0])


def test_layers_follow_the_modules_and_backward_ops_keep_theirs() -> None:
    graph = export("two_dense")
    layers = {op["name"]: op["layer"] for op in graph["ops"]}
    assert [layers["0/MatMul"], layers["1/Relu"], layers["2/MatMul"]] == [0, 1, 2]
    assert layers["1/ReluGrad"] == 1
    assert layers["0.weight"] == 0


def test_ops_weights_and_updates_are_of_their_module_and_the_loss_of_the_network() -> None:
    graph = export("two_dense", "momentum")
    modules = {op["name"]: op.get("module") for op in graph["ops"]}
    assert [modules["0/MatMul"], modules["1/Relu"], modules["2/MatMul"]] == ["0", "1", "2"]
    assert modules["1/ReluGrad"] == "1"
    assert [modules["0.weight"], modules["0.weight/ApplyGradient"]] == ["0", "0"]
    assert modules["loss/Gradient"] == ""
    assert {modules[name] for name in modules if name.startswith("loss/")} == {""}
    assert modules["input_0"] is None


class Normed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, stride=2, padding=1, groups=1)
        self.norm = nn.BatchNorm2d(4)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.pool(self.norm(self.conv(x))).sum()


def normed() -> tuple:
    return Normed(), torch.ones(2, 3, 9, 8)


def test_convolution_gradient_is_one_op_per_gradient() -> None:
    graph = export("normed")
    names = [op["name"] for op in graph["ops"] if op["name"].startswith("conv/")]
    # The image needs no gradient.
    assert names == ["conv/Conv2D", "conv/Conv2DBackpropFilter", "conv/BiasAddGrad"]
    block = find(graph, "conv/Conv2DBackpropFilter")["conv"]
    shape = {"n": 2, "c": 3, "h": 9, "w": 8, "k": 4, "r": 3, "s": 3}
    window = {"pad_h": 1, "pad_w": 1, "stride_h": 2, "stride_w": 2}
    assert block == {**shape, **window, "pass": "backward_weight"}


def test_convolution_flops_are_two_per_multiply_add_and_one_per_bias() -> None:
    # Output [2, 4, 5, 4]: 160 elements, each 3*3*3 multiply-adds and a bias.
    assert find(export("normed"), "conv/Conv2D")["flops"] == 160 * (2 * 27 + 1)


def test_edges_name_the_output_they_read() -> None:
    graph = export("normed")
    grad = of_type(graph, "MaxPoolGrad")[0]
    assert ("pool/MaxPool", 1) in inputs_of(graph, grad)  # the indices
    # Reads gradient [2,4,2,2] f32 and indices i64; writes [2,4,5,4]; not the pooled tensor.
    assert grad["bytes_accessed"] == 32 * 4 + 32 * 8 + 160 * 4


def test_running_statistics_are_updated_in_place_on_their_device() -> None:
    graph = export("normed")
    norm = find(graph, "norm/BatchNorm")
    mean = find(graph, "norm.running_mean")
    port = next(out for out in norm["outputs"] if out.get("alias") == 3)
    assert inputs_of(graph, norm)[3] == ("norm.running_mean", 0)
    assert port["shape"] == [4]
    assert norm["colocation"] == mean["colocation"]


class Transposed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.ConvTranspose2d(6, 4, 3, stride=2, groups=2, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x).sum()


def transposed() -> tuple:
    return Transposed(), torch.ones(2, 6, 5, 7)


def test_transposed_convolution_is_the_data_gradient_of_its_output() -> None:
    op = find(export("transposed"), "conv/Conv2DTranspose")
    block = op["conv"]
    # Output 2*(5-1)+3 = 11 by 2*(7-1)+3 = 15; image side has 4 channels, feature side 6.
    assert (block["c"], block["h"], block["w"], block["k"]) == (4, 11, 15, 6)
    assert (block["groups"], block["pass"]) == (2, "backward_data")
    # Each of the 2*6*5*7 input elements meets 4/2 * 3*3 weights.
    assert op["flops"] == 2 * (2 * 6 * 5 * 7) * (2 * 9)


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(50, 8)
        self.out = nn.Linear(8, 50, bias=False)
        self.out.weight = self.table.weight

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        return self.out(self.table(words))


def tied() -> tuple:
    words = torch.zeros(3, 4, dtype=torch.int64)
    labels = torch.zeros(12, dtype=torch.int64)
    return Tied(), {"words": words}, lambda y: functional.cross_entropy(y.flatten(0, 1), labels)


def test_shared_weight_is_one_variable_with_one_update() -> None:
    graph = export("tied", "sgd")
    assert [op["name"] for op in of_type(graph, "Variable")] == ["table.weight"]
    assert len(of_type(graph, "ApplyGradient")) == 1


def test_labels_captured_by_the_loss_become_an_input() -> None:
    graph = export("tied")
    inputs = {op["name"]: op["outputs"][0]["shape"] for op in of_type(graph, "Placeholder")}
    assert inputs == {"input_0": [3, 4], "captured_0": [12]}


class Offset(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.offset = torch.ones(3)  # neither parameter nor buffer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.weight + self.offset


def captures_much() -> tuple:
    model, x = Offset(), torch.ones(5, 3)
    weight = model.weight
    rows = x[1:]  # shares the storage of an input
    return model, x, lambda y: (y[1:] * rows).sum() + weight.square().sum()


def test_what_a_closure_holds_is_an_input_unless_it_is_a_weight() -> None:
    graph = export("captures_much", "sgd")
    inputs = {op["name"]: op["outputs"][0]["shape"] for op in of_type(graph, "Placeholder")}
    assert inputs == {"input_0": [5, 3], "captured_0": [3], "captured_1": [4, 3]}
    assert [op["name"] for op in of_type(graph, "Variable")] == ["weight"]


def test_embedding_reads_the_rows_it_needs_not_the_table() -> None:
    # 12 rows of 8 floats read and written, 12 indices of 8 bytes.
    assert find(export("tied"), "table/Gather")["bytes_accessed"] == 2 * 12 * 8 * 4 + 12 * 8


def frozen() -> tuple:
    model, x, loss = two_dense()
    model[0].requires_grad_(False)
    return model, x, loss


def test_frozen_weight_is_a_variable_without_update() -> None:
    graph = export("frozen", "sgd")
    assert len(of_type(graph, "Variable")) == 4
    updates = [op["name"] for op in of_type(graph, "ApplyGradient")]
    assert updates == ["2.weight/ApplyGradient", "2.bias/ApplyGradient"]


def needs_values() -> tuple:
    scale = torch.full((2,), 1.5).sum().item()  # fake tensors hold no values
    model, x, loss = two_dense()
    return model, [x], lambda y: loss(y) * scale


def test_function_that_needs_real_values_exports_as_well() -> None:
    shapes = [op["outputs"][0]["shape"] for op in of_type(export("needs_values"), "Variable")]
    assert shapes == [[5, 3], [5], [2, 5], [2]]


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.lstm(x)[0].sum()


def recurrent() -> tuple:
    return Recurrent(), torch.ones(4, 2, 3)


def test_torch_lstm_becomes_ops_per_step() -> None:
    forward = [op["type"] for op in export("recurrent")["ops"] if op["phase"] == "forward"]
    # Four steps: input, forget and output gates are sigmoids; candidate and cell tanhs.
    assert Counter(forward)["Sigmoid"] == 12
    assert Counter(forward)["Tanh"] == 8


class Unlisted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(6))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.erf(x * self.weight).sum()


def unlisted() -> tuple:
    return Unlisted(), torch.ones(4, 6)


def test_op_without_a_field_word_keeps_its_aten_name() -> None:
    op = of_type(export("unlisted"), "erf")[0]
    assert op["fusion_class"] == "elementwise"  # ATen tags it as pointwise
    assert op["flops"] == 24


def mixed() -> tuple:
    return Mixed(), torch.ones(4, 6)


class Mixed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(6, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.dense(x).float().sum()


def test_autocast_product_has_its_narrow_type() -> None:
    op = find(export("mixed"), "dense/MatMul")
    assert op["dtype"] == "bf16"
    assert op["outputs"][0]["bytes"] == 4 * 2 * 2
