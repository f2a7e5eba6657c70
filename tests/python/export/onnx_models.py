"""ONNX models of a few nodes, for the tests of their readers."""

from __future__ import annotations

from math import prod
from pathlib import Path
from random import Random
from typing import Any

import onnx
from onnx import TensorProto, helper

# Models of published networks that come with the package, without their weights' values.
LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


def damaged(data: bytes, rng: Random) -> bytearray:
    """A copy with one to four bytes sampled anew."""
    copy = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        copy[rng.randrange(len(copy))] = rng.randrange(256)
    return copy


def typed(name: str, element: int, *shape: int | str | None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, element, shape)


def floats(name: str, *shape: int | str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def weight(name: str, *shape: int) -> onnx.TensorProto:
    count = 1
    for extent in shape:
        count *= extent
    return helper.make_tensor(name, TensorProto.FLOAT, shape, b"\0" * (4 * count), raw=True)


def whole(name: str, values: list[int]) -> onnx.TensorProto:
    return helper.make_tensor(name, TensorProto.INT64, [len(values)], values)


def zeros(name: str, element: int, *shape: int) -> onnx.TensorProto:
    """A weight of any type; those below a byte are packed."""
    bits = {TensorProto.INT4: 4, TensorProto.UINT4: 4, TensorProto.INT2: 2, TensorProto.UINT2: 2}
    bits |= {TensorProto.FLOAT4E2M1: 4, TensorProto.FLOAT6E2M3: 6, TensorProto.FLOAT6E3M2: 6}
    width = bits.get(element) or 8 * helper.tensor_dtype_to_np_dtype(element).itemsize
    size = (prod(shape) * width + 7) // 8
    return helper.make_tensor(name, element, shape, bytes(size), raw=True)


def number(name: str, value: float, element: int = TensorProto.FLOAT) -> onnx.TensorProto:
    return helper.make_tensor(name, element, [], [value])


def save_model(
    folder: Path,
    nodes: list[onnx.NodeProto],
    inputs: list[onnx.ValueInfoProto],
    weights: list[onnx.TensorProto] | None = None,
    results: str = "y",
    opset: int = 23,
    **more: Any,
) -> Path:
    """As `save`, for several results, functions and inner graphs: `more` goes to the model."""
    outputs = [helper.make_empty_tensor_value_info(name) for name in results.split()]
    graph = helper.make_graph(nodes, "g", inputs, outputs, weights or [])
    domains = ("", "com.microsoft", "pkg", "ai.onnx.ml")
    opsets = [helper.make_opsetid(d, 1 if d else opset) for d in domains]
    path = folder / "model.onnx"
    model = helper.make_model(graph, opset_imports=opsets, ir_version=11, **more)
    path.write_bytes(model.SerializeToString())
    return path


def body(
    nodes: list[onnx.NodeProto],
    inputs: list[onnx.ValueInfoProto],
    results: str,
    weights: list[onnx.TensorProto] | None = None,
) -> onnx.GraphProto:
    outputs = [helper.make_empty_tensor_value_info(name) for name in results.split()]
    return helper.make_graph(nodes, "body", inputs, outputs, weights or [])


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
