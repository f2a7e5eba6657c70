"""Floating-point operations and shape blocks of ONNX ops; a multiply-add counts 2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Any

from opyard.export.onnx_ops import ONNX_OPS

FLOATING = ("f64", "f32", "tf32", "f16", "bf16", "f8")


@dataclass(frozen=True)
class Value:
    """A tensor; `shape` is None where neither the file nor its inference says it."""

    shape: tuple[int, ...] | None
    dtype: str


@dataclass(frozen=True)
class Node:
    """One ONNX node; an input that is left out is None."""

    op: str
    attributes: dict[str, Any]
    inputs: list[Value | None]
    outputs: list[Value]


@dataclass(frozen=True)
class Work:
    """What one run costs."""

    flops: int = 0
    gemm: dict[str, int] | None = None
    conv: dict[str, int | str] | None = field(default=None)


def _shapes(values: list[Value | None]) -> list[tuple[int, ...] | None]:
    return [value.shape if value else None for value in values]


def _gemm_work(m: int, n: int, k: int, batch: int = 1, extra: int = 0) -> Work:
    block = {"m": m, "n": n, "k": k} | ({"batch": batch} if batch != 1 else {})
    return Work(2 * batch * m * n * k + extra, gemm=block)


def _gemm(node: Node) -> Work:
    left, right = _shapes(node.inputs[:2])
    m, k = left[::-1] if node.attributes.get("transA", 0) else left
    n = right[0] if node.attributes.get("transB", 0) else right[1]
    has_bias = len(node.inputs) > 2 and node.inputs[2] is not None
    return _gemm_work(m, n, k, extra=m * n if has_bias else 0)


def _matmul(node: Node) -> Work:
    left, right = _shapes(node.inputs[:2])
    if len(left) == 1:
        left = (1, *left)
    if len(right) == 1:
        right = (*right, 1)
    m, k, n = left[-2], left[-1], right[-1]
    if len(right) == 2:  # a batch of rows against one matrix is one product
        return _gemm_work(prod(left[:-1]), n, k)
    return _gemm_work(m, n, k, batch=prod(node.outputs[0].shape) // max(m * n, 1))


def _pads(node: Node, dimensions: int) -> tuple[int, ...] | None:
    """Padding before each dimension; None where it differs from that behind."""
    pads = node.attributes.get("pads", [0] * (2 * dimensions))
    return tuple(pads[:dimensions]) if pads[:dimensions] == pads[dimensions:] else None


def _conv(node: Node) -> Work:
    image, weight = _shapes(node.inputs[:2])
    is_transposed = node.op == "ConvTranspose"
    features = image if is_transposed else node.outputs[0].shape
    flops = 2 * prod(features) * prod(weight[1:])
    if len(node.inputs) > 2 and node.inputs[2] is not None:
        flops += prod(node.outputs[0].shape)
    return Work(flops, conv=None if is_transposed else _conv_block(node, image, weight))


def _conv_block(
    node: Node, image: tuple[int, ...], weight: tuple[int, ...]
) -> dict[str, int | str] | None:
    """None in three dimensions, with dilation, and where the sides are padded differently."""
    dimensions = len(weight) - 2
    pads = _pads(node, dimensions)
    dilation = node.attributes.get("dilations", [1] * dimensions)
    if dimensions not in (1, 2) or pads is None or any(step != 1 for step in dilation):
        return None
    strides = node.attributes.get("strides", [1] * dimensions)

    def two(extents: tuple[int, ...], missing: int) -> list[int]:
        return [missing] * (2 - dimensions) + list(extents)

    names = ("n", "c", "h", "w", "k", "r", "s", "pad_h", "pad_w", "stride_h", "stride_w")
    values = [*image[:2], *two(image[2:], 1), weight[0], *two(weight[2:], 1)]
    values += [*two(pads, 0), *two(tuple(strides), 1)]
    groups = node.attributes.get("group", 1)
    block: dict[str, int | str] = dict(zip(names, values, strict=True))
    return block | ({"groups": groups} if groups != 1 else {}) | {"pass": "forward"}


def _recurrent(node: Node) -> Work:
    # Per step and direction each gate multiplies the input and the state (ONNX: W, R).
    image, weight, recurrence = _shapes(node.inputs[:3])
    steps, batch = image[:2]
    return Work(2 * steps * batch * (prod(weight) + prod(recurrence)))


def _pool(node: Node) -> Work:
    return Work(prod(node.outputs[0].shape) * prod(node.attributes.get("kernel_shape", [1])))


def _lrn(node: Node) -> Work:
    # Squares summed over `size` channels, then scale, power, division.
    return Work(prod(node.outputs[0].shape) * (node.attributes.get("size", 1) + 4))


def _sum(node: Node) -> Work:
    return Work(prod(node.outputs[0].shape) * (len(node.inputs) - 1))


_RULES: dict[str, Callable[[Node], Work]] = {
    "AveragePool": _pool,
    "Conv": _conv,
    "ConvTranspose": _conv,
    "GRU": _recurrent,
    "Gemm": _gemm,
    "LRN": _lrn,
    "LSTM": _recurrent,
    "MatMul": _matmul,
    "MaxPool": _pool,
    "RNN": _recurrent,
    "Sum": _sum,
}


def work_of(node: Node) -> Work | None:
    """The cost of `node`; None where shapes that it depends on are not known."""
    needed = [value for value in [*node.inputs, *node.outputs] if value is not None]
    if any(value.shape is None for value in needed):
        return None
    if node.op in _RULES:
        return _RULES[node.op](node)
    known = ONNX_OPS.get(node.op)
    factor, elements = (known.flops_per_element, known.elements) if known else (1, "out")
    counted = [v for v in (node.inputs if elements == "in" else node.outputs) if v is not None]
    if not counted or counted[0].dtype not in FLOATING:
        return Work()  # integer arithmetic is not counted
    tensors = counted[:1] if known else counted
    return Work(factor * sum(prod(value.shape) for value in tensors))
