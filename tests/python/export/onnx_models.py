"""ONNX models of a few nodes, for the tests of their readers."""

from __future__ import annotations

from pathlib import Path
from random import Random

import onnx
from onnx import TensorProto, helper

# Models of published networks that come with the package, without their weights' values.
LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


def damaged(data: bytes, rng: Random) -> bytearray:
    """A copy with one to four bytes drawn anew."""
    copy = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        copy[rng.randrange(len(copy))] = rng.randrange(256)
    return copy


def floats(name: str, *shape: int | str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def weight(name: str, *shape: int) -> onnx.TensorProto:
    count = 1
    for extent in shape:
        count *= extent
    return helper.make_tensor(name, TensorProto.FLOAT, shape, b"\0" * (4 * count), raw=True)


def whole(name: str, values: list[int]) -> onnx.TensorProto:
    return helper.make_tensor(name, TensorProto.INT64, [len(values)], values)


def save(
    folder: Path,
    nodes: list[onnx.NodeProto],
    inputs: list[onnx.ValueInfoProto],
    weights: list[onnx.TensorProto],
    result: str,
    opset: int = 17,
) -> Path:
    outputs = [helper.make_empty_tensor_value_info(result)]
    graph = helper.make_graph(nodes, "g", inputs, outputs, weights)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("own", 1)]
    path = folder / "model.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=opsets).SerializeToString())
    return path


def small_network(folder: Path, batch: int | str = 2) -> Path:
    """Convolution 3 -> 4 of 8x8 pixels, ReLU, pooling to 4x4, a dense layer of 5."""
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], "conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"], "relu"),
        helper.make_node("MaxPool", ["r"], ["p"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Dropout", ["p"], ["d"], "drop"),
        helper.make_node("Reshape", ["d", "shape"], ["f"], "flat"),
        helper.make_node("Gemm", ["f", "v", "u"], ["y"], "dense", transB=1),
    ]
    weights = [weight("w", 4, 3, 3, 3), weight("b", 4), weight("v", 5, 64), weight("u", 5)]
    return save(
        folder, nodes, [floats("x", batch, 3, 8, 8)], [*weights, whole("shape", [0, -1])], "y"
    )
