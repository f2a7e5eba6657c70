"""Shapes of what ops give that ONNX's own inference does not know.

Mostly those of the domain `com.microsoft`, which ONNX Runtime writes when it
optimises or quantises a model; its page "Contrib Operators" defines them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opyard.export.onnx_einsum import einsum_shape
from opyard.export.onnx_types import FLOAT, INT8, INT32, UINT8, Shape, Value

if TYPE_CHECKING:
    import numpy as np

    from opyard.export.onnx_inference import Question

Extents = tuple[int | None, ...]


@dataclass(frozen=True)
class Partial:
    """The known part of a tensor's type; an extent that is not known is None."""

    element: int
    extents: Extents | None

    @property
    def value(self) -> Value:
        extents = self.extents
        if extents is None or None in extents:
            return Value(None, self.element)
        return Value(tuple(extent or 0 for extent in extents), self.element)


class _Node:
    """A node as rules read it."""

    def __init__(self, question: Question) -> None:
        import onnx

        self.attributes: dict[str, Any] = {
            a.name: onnx.helper.get_attribute_value(a) for a in question.attributes
        }
        self._inputs = question.inputs
        self._data = question.data

    def has(self, position: int) -> bool:
        return position < len(self._inputs) and self._inputs[position] is not None

    def element(self, position: int = 0) -> int:
        value = self._inputs[position]
        if value is None:
            raise ValueError(f"input {position} is left out")
        return value.element

    def shape(self, position: int = 0) -> Shape:
        """Raises ValueError where it is not known: then nothing of the results is."""
        value = self._inputs[position] if self.has(position) else None
        if value is None or value.shape is None:
            raise ValueError(f"the shape of input {position} is not known")
        return value.shape

    def number(self, position: int) -> int | None:
        array: np.ndarray | None = self._data[position] if self.has(position) else None
        return None if array is None else int(array.reshape(-1)[0])

    def like(self, shape: Shape, position: int = 0) -> Partial:
        return Partial(self.element(position), shape)


def broadcast(*shapes: Shape) -> Shape:
    """The shape that numpy's rule gives; raises ValueError if the shapes do not fit."""
    rank = max(map(len, shapes))
    columns = zip(*[(1,) * (rank - len(shape)) + shape for shape in shapes], strict=True)
    result = []
    for column in columns:
        extents = {extent for extent in column if extent != 1} or {1}
        if len(extents) > 1:
            raise ValueError(f"shapes {[list(shape) for shape in shapes]} do not fit")
        result.append(extents.pop())
    return tuple(result)


def product_shape(left: Shape, right: Shape) -> Shape:
    """The shape of numpy's matrix product."""
    rows, columns = left[-2:-1], right[-1:] if len(right) > 1 else ()
    if not left or not right or left[-1] != right[-2 if len(right) > 1 else -1]:
        raise ValueError(f"a product of shapes {list(left)} and {list(right)} does not fit")
    return (*broadcast(left[:-2], right[:-2]), *rows, *columns)


def _turned(shape: Shape, is_turned: int) -> Shape:
    return (*shape[:-2], shape[-1], shape[-2]) if is_turned and len(shape) > 1 else shape


def _same(node: _Node) -> list[Partial]:
    return [node.like(node.shape())]


def _skip_norm(node: _Node) -> list[Partial]:
    shape = node.shape()  # [batch, length, width]
    rows = Partial(FLOAT, (*shape[:-1], 1))
    return [node.like(shape), rows, rows, node.like(shape)]


def _norm(node: _Node) -> list[Partial]:
    shape = node.shape()
    axis = node.attributes.get("axis", -1) % max(len(shape), 1)
    rows = Partial(FLOAT, (*shape[:axis], *[1] * (len(shape) - axis)))
    return [node.like(shape), rows, rows]


def _embedding_norm(node: _Node) -> list[Partial]:
    batch, length = node.shape(0)
    embedded = Partial(node.element(2), (batch, length, node.shape(2)[1]))
    return [embedded, Partial(INT32, (batch,)), embedded]


def _half(node: _Node) -> list[Partial]:
    shape = node.shape()
    return [node.like((*shape[:-1], shape[-1] // 2))]


def _matmul(left: int, right: int, element: int | None = None) -> Callable[[_Node], list[Partial]]:
    """A product of the inputs at these places; its type is that of the first unless given."""

    def rule(node: _Node) -> list[Partial]:
        first = _turned(node.shape(left), node.attributes.get("transA", 0))
        second = _turned(node.shape(right), node.attributes.get("transB", 0))
        shape = product_shape(first, second)
        return [Partial(node.element(left) if element is None else element, shape)]

    return rule


def _qgemm(node: _Node) -> list[Partial]:
    (product,) = _matmul(0, 3)(node)
    is_quantized = node.has(7)  # the scale of the result
    return [Partial(node.element(0) if is_quantized else FLOAT, product.extents)]


def _packed_matmul(node: _Node) -> list[Partial]:
    return [node.like((*node.shape()[:-1], node.attributes["N"]))]


def _binary(left: int, right: int) -> Callable[[_Node], list[Partial]]:
    return lambda node: [node.like(broadcast(node.shape(left), node.shape(right)), left)]


def _attention(node: _Node) -> list[Partial]:
    batch, length, _ = node.shape(0)
    sizes = node.attributes.get("qkv_hidden_sizes") or [node.shape(1)[1] // 3] * 3
    heads = node.attributes["num_heads"]
    past = node.shape(4)[3] if node.has(4) else 0  # [2, batch, heads, length, width]
    present = (2, batch, heads, past + length, sizes[0] // heads)
    return [node.like((batch, length, sizes[2])), node.like(present)]


def _quantized_attention(node: _Node) -> list[Partial]:
    batch, length, _ = node.shape(0)
    width, heads = node.shape(1)[1] // 3, node.attributes["num_heads"]
    past = node.shape(8)[3] if node.has(8) else 0
    present = (2, batch, heads, past + length, width // heads)
    return [node.like((batch, length, width), 3), node.like(present, 3)]


def _multi_head_attention(past: int) -> Callable[[_Node], list[Partial]]:
    return lambda node: _heads_attention(node, past)


def _heads_attention(node: _Node, past: int) -> list[Partial]:
    heads = node.attributes["num_heads"]
    query = node.shape(0)  # [batch, length, width], or with all three [batch, length, heads, 3, w]
    batch, length = query[:2]
    width = query[2] if len(query) == 3 else heads * query[4]
    total, value_width = length, width
    if node.has(1):
        key = node.shape(1)
        total = key[2] if len(key) == 4 else key[1]
    if node.has(2):
        value = node.shape(2)
        value_width = value[1] * value[3] if len(value) == 4 else value[2]
    total += node.shape(past)[2] if node.has(past) else 0
    keys, values = width // heads, value_width // heads
    return [
        node.like((batch, length, value_width)),
        node.like((batch, heads, total, keys)),
        node.like((batch, heads, total, values)),
        node.like((batch, heads, length, total)),
    ]


def _group_query_attention(node: _Node) -> list[Partial]:
    heads, kept = node.attributes["num_heads"], node.attributes["kv_num_heads"]
    batch, length, width = node.shape(0)
    width = width // heads if node.has(1) else width // (heads + 2 * kept)
    past = node.shape(3)[2] if node.has(3) else 0
    # The cache may be a buffer that is as long as the longest text.
    total = max(node.number(6) or past + length, past)
    present = node.like((batch, kept, total, width))
    return [node.like((batch, length, heads * width)), present, present]


def _concat(node: _Node) -> list[Partial]:
    # QLinearConcat: scale and zero point of the result, then tensor, scale, zero point of each.
    positions = range(2, len(node._inputs), 3)
    shapes = [node.shape(position) for position in positions]
    axis = node.attributes["axis"] % len(shapes[0])
    extent = sum(shape[axis] for shape in shapes)
    return [node.like((*shapes[0][:axis], extent, *shapes[0][axis + 1 :]), 2)]


def _global_pool(node: _Node) -> list[Partial]:
    shape = node.shape()
    rank = len(shape)
    if node.attributes.get("channels_last", 0):
        return [node.like((shape[0], *[1] * (rank - 2), shape[-1]))]
    return [node.like((*shape[:2], *[1] * (rank - 2)))]


def _without_padding(node: _Node) -> list[Partial]:
    # Channels in blocks, as `com.microsoft.nchwc` lays them out, back in their own number.
    shape = node.shape()
    return [node.like((shape[0], node.attributes.get("channels", shape[1]), *shape[2:]))]


def _block_gather(node: _Node) -> list[Partial]:
    table, indices = node.shape(0), node.shape(1)
    axis = node.attributes.get("gather_axis", 0) % len(table)
    packed = 8 // node.attributes.get("bits", 4) if node.element(0) in (UINT8, INT8) else 1
    last = table[-1] * packed
    full = (*table[:-1], last)
    return [node.like((*full[:axis], *indices, *full[axis + 1 :]), 2)]


def _einsum(node: _Node) -> list[Partial]:
    equation = node.attributes["equation"].decode()
    shapes = [node.shape(position) for position in range(len(node._inputs))]
    return [node.like(einsum_shape(equation, shapes))]


_EVERYWHERE: dict[str, Callable[[_Node], list[Partial]]] = {
    "Einsum": _einsum,
    "GroupNormalization": _same,
    "MeanVarianceNormalization": _same,
    "ReorderInput": _same,
    "ReorderOutput": _without_padding,
    "SimplifiedLayerNormalization": _norm,
}
_MICROSOFT: dict[str, Callable[[_Node], list[Partial]]] = {
    "Attention": _attention,
    "BiasAdd": _same,
    "BiasDropout": _same,
    "BiasGelu": _same,
    "BiasSoftmax": _same,
    "BiasSplitGelu": _half,
    "DecoderMaskedMultiHeadAttention": _multi_head_attention(past=5),
    "DynamicQuantizeMatMul": _matmul(0, 1),
    "EmbedLayerNormalization": _embedding_norm,
    "FastGelu": _same,
    "FusedGemm": _matmul(0, 1),
    "FusedMatMul": _matmul(0, 1),
    "FusedMatMulActivation": _matmul(0, 1),
    "GatherBlockQuantized": _block_gather,
    "Gelu": _same,
    "GemmFastGelu": _matmul(0, 1),
    "GroupNorm": _same,
    "GroupQueryAttention": _group_query_attention,
    "MatMulBnb4": _packed_matmul,
    "MatMulFpQ4": _packed_matmul,
    "MatMulInteger16": _matmul(0, 1, INT32),
    "MatMulIntegerToFloat": _matmul(0, 1, FLOAT),
    "MatMulNBits": _packed_matmul,
    "MoE": _same,
    "MultiHeadAttention": _multi_head_attention(past=6),
    "QAttention": _quantized_attention,
    "QGemm": _qgemm,
    "QLinearAdd": _binary(0, 3),
    "QLinearConcat": _concat,
    "QLinearGlobalAveragePool": _global_pool,
    "QLinearLeakyRelu": _same,
    "QLinearMul": _binary(0, 3),
    "QLinearSigmoid": _same,
    "QLinearSoftmax": _same,
    "QMoE": _same,
    "QuickGelu": _same,
    "RotaryEmbedding": _same,
    "SkipGroupNorm": _same,
    "SkipLayerNormalization": _skip_norm,
    "SkipSimplifiedLayerNormalization": _skip_norm,
    "TransposeMatMul": _matmul(0, 1),
}


def infer_contrib(question: Question) -> list[Partial] | None:
    """The results of an op with a rule here, None for others.

    Raises:
        ValueError, KeyError, IndexError, TypeError: the inputs do not fit the rule.
    """
    rules = _MICROSOFT | _EVERYWHERE if question.domain == "com.microsoft" else _EVERYWHERE
    rule = rules.get(question.op)
    return None if rule is None else rule(_Node(question))
