"""Cases of ops in a trace of PyTorch's profiler, from the shapes that `record_shapes` adds."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from opyard.profiling.cases import ELEMENT_BYTES
from opyard.profiling.rows import Case, make_case

_TYPES = {
    **{"float": "f32", "double": "f64", "c10::Half": "f16", "c10::BFloat16": "bf16"},
    **{"c10::Float8_e4m3fn": "f8", "c10::Float8_e5m2": "f8"},
}
_NORM_GRADIENTS = {
    **{"native_layer_norm_backward": "layer_norm", "_softmax_backward_data": "softmax"},
    **{"_log_softmax_backward_data": "softmax", "native_batch_norm_backward": "batch_norm"},
    **{"cudnn_batch_norm_backward": "batch_norm", "batch_norm_backward": "batch_norm"},
}
_UNARY = (
    *("relu", "gelu", "tanh", "sigmoid", "exp", "log", "sqrt", "rsqrt", "silu", "neg"),
    *("clamp_min", "leaky_relu", "elu", "abs", "reciprocal"),
)
_BINARY = ("add", "sub", "mul", "div", "maximum", "minimum")
_ELEMENTWISE_GRADIENTS = {
    **{"threshold_backward": "relu", "gelu_backward": "gelu", "tanh_backward": "tanh"},
    **{"sigmoid_backward": "sigmoid", "silu_backward": "silu"},
}
_ATTENTION_GRADIENTS = (
    "_scaled_dot_product_flash_attention_backward",
    "_scaled_dot_product_efficient_attention_backward",
    "_scaled_dot_product_cudnn_attention_backward",
    "_scaled_dot_product_flash_attention_for_cpu_backward",
)
_RECURRENT = {"lstm": "lstm", "gru": "gru", "rnn_tanh": "rnn_vanilla", "rnn_relu": "rnn_vanilla"}
# Cases whose time is that of their memory traffic.
STREAMING_OPS = frozenset((*_UNARY, *_BINARY, "copy", "fill"))


class UnreadError(Exception):
    """The op is known, but its shape is not; the message says why."""


class TracedInputs:
    """The inputs of one op.

    Args:
        text: The JSON object with "Input Dims", "Input type", "Input Strides" and "Concrete
            Inputs", or an empty text.

    Raises:
        UnreadError: There is none.
    """

    def __init__(self, text: str) -> None:
        values = json.loads(text) if text else {}
        self._dims = values.get("Input Dims")
        self._types = values.get("Input type")
        self._strides = values.get("Input Strides") or []
        self._concrete = values.get("Concrete Inputs") or []
        if not isinstance(self._dims, list) or not isinstance(self._types, list):
            raise UnreadError("no shapes: profile with record_shapes=True")

    def shape(self, index: int, rank: int | None = None) -> list[int]:
        """The extents of the tensor at `index`, of `rank` of them where that is given."""
        dims = self._dims[index] if index < len(self._dims) else None
        is_shape = isinstance(dims, list) and all(isinstance(extent, int) for extent in dims)
        if not is_shape or (rank is not None and len(dims) != rank) or not _is_size(dims):
            raise UnreadError("another shape than is known")
        return dims

    def shapes(self) -> list[list[int]]:
        """The extents of all tensors of one dimension or more."""
        shapes = [
            dims
            for dims in self._dims
            if isinstance(dims, list) and dims and all(isinstance(extent, int) for extent in dims)
        ]
        if not shapes or not all(map(_is_size, shapes)):
            raise UnreadError("another shape than is known")
        return shapes

    def dtype(self, index: int = 0) -> str:
        """The type of the tensor at `index`, one of floating-point numbers."""
        word = self._types[index] if index < len(self._types) else None
        if word not in _TYPES:
            raise UnreadError("another type than floating-point numbers")
        return _TYPES[word]

    def value(self, index: int) -> Any:
        """The number, truth value or list at `index`."""
        try:
            return ast.literal_eval(self._concrete[index])
        except (IndexError, ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            raise UnreadError("no values of arguments such as strides") from None

    def way(self, index: int) -> str:
        """The layout of the matrices at `index`: N by rows, T by columns."""
        strides = self._strides[index] if index < len(self._strides) else None
        rows, columns = strides[-2:] if isinstance(strides, list) and len(strides) > 1 else (0, 0)
        return "T" if rows == 1 and columns != 1 else "N"

    def hidden_size(self) -> int:
        """The last extent of the first tensor of state, at index 1."""
        dims = self._dims[1] if len(self._dims) > 1 else None
        while isinstance(dims, list) and dims:
            state, dims = dims, dims[0]
            if isinstance(dims, int) and isinstance(state[-1], int) and state[-1] > 0:
                return state[-1]
        raise UnreadError("another shape than is known")

    def last(self, count: int) -> list[Any]:
        """The last `count` values."""
        return [self.value(len(self._concrete) - count + i) for i in range(count)]


def _is_size(extents: Sequence[int]) -> bool:
    """True for extents from 1 to those of shape blocks, with fewer elements than a file has."""
    return all(1 <= extent < 2**31 for extent in extents) and prod(extents) < 2**40


Reader = Callable[[TracedInputs], list[Case]]


def reader_of(name: str) -> Reader | None:
    """The reader of the op `name`, as traces call it ("aten::mm"); None for other ops."""
    prefix, _, word = name.partition("::")
    return _READERS.get(word) or _READERS.get(word.removesuffix("_")) if prefix == "aten" else None


def _product(left: int, right: int, rank: int) -> Reader:
    """Reads the product of the inputs at `left` and `right`, of `rank` dimensions."""

    def read(inputs: TracedInputs) -> list[Case]:
        *batch, m, k = inputs.shape(left, rank)
        *_, n = inputs.shape(right, rank)
        more = {"batch": batch[0]} if batch else {}
        ways = {"transA": inputs.way(left), "transB": inputs.way(right)}
        return [make_case("gemm", inputs.dtype(left), M=m, N=n, K=k, **ways, **more)]

    return read


def _convolution(inputs: TracedInputs) -> list[Case]:
    shape = _convolution_shape(inputs, 0, 3)
    return [make_case("conv2d", inputs.dtype(), "fwd", **shape)]


def _convolution_backward(inputs: TracedInputs) -> list[Case]:
    shape = _convolution_shape(inputs, 1, 4)
    data, weight, _ = _values(inputs.value(10), 3)
    passes = [name for name, wanted in (("bwd_data", data), ("bwd_weight", weight)) if wanted]
    return [make_case("conv2d", inputs.dtype(), pass_, **shape) for pass_ in passes]


def _values(value: Any, count: int) -> list[Any]:
    """A list of `count` values, or one value for all."""
    values = value if isinstance(value, list) else [value]
    if len(values) not in (1, count):
        raise UnreadError("another shape than is known")
    return values * count if len(values) == 1 else values


def _convolution_shape(inputs: TracedInputs, image: int, stride: int) -> dict[str, int]:
    """The shape of a convolution whose image is at `image` and whose stride at `stride`."""
    n, c, h, w = inputs.shape(image, 4)
    k, _, r, s = inputs.shape(image + 1, 4)
    strides, padding, dilation = (_values(inputs.value(stride + i), 2) for i in range(3))
    if inputs.value(stride + 3) or dilation != [1, 1]:
        raise UnreadError("a transposed or dilated convolution")
    columns = (
        "N",
        "C",
        "H",
        "W",
        "K",
        "R",
        "S",
        "pad_h",
        "pad_w",
        "stride_h",
        "stride_w",
        "groups",
    )
    extents = (n, c, h, w, k, r, s, *padding, *strides, inputs.value(stride + 5))
    if not all(isinstance(extent, int) for extent in extents):
        raise UnreadError("another shape than is known")
    return dict(zip(columns, extents, strict=True))


def _attention(first: int, pass_: str) -> Reader:
    """Reads attention whose query, key and value begin at `first`."""

    def read(inputs: TracedInputs) -> list[Case]:
        batch, heads, seq_q, head_dim = inputs.shape(first, 4)
        seq_kv = inputs.shape(first + 1, 4)[2]
        shape = {"batch": batch, "heads": heads, "seq_q": seq_q, "seq_kv": seq_kv}
        return [make_case("attention", inputs.dtype(first), pass_, head_dim=head_dim, **shape)]

    return read


def _recurrent(op: str) -> Reader:
    def read(inputs: TracedInputs) -> list[Case]:
        *_, layers, _, _, is_bidirectional, is_batch_first = inputs.last(6)
        if layers != 1 or is_bidirectional:
            raise UnreadError("a recurrent network of several layers or directions")
        timesteps, batch, _ = inputs.shape(0, 3)
        if is_batch_first:
            timesteps, batch = batch, timesteps
        hidden = inputs.hidden_size()
        shape = {"hidden": hidden, "batch": batch, "timesteps": timesteps}
        return [make_case(op, inputs.dtype(), "fwd", **shape)]

    return read


def _normalization(op: str, tensors: int, pass_: str) -> Reader:
    def read(inputs: TracedInputs) -> list[Case]:
        return [_streaming(op, inputs.dtype(), pass_, prod(inputs.shape(0)), tensors)]

    return read


def _streaming(op: str, dtype: str, pass_: str, elements: int, tensors: float) -> Case:
    size = round(tensors * elements) * ELEMENT_BYTES[dtype]
    return make_case(op, dtype, pass_, elements=elements, bytes=size)


def _elementwise(op: str, pass_: str = "") -> Reader:
    """Reads an op that takes all of its tensors and writes one as large as the largest."""

    def read(inputs: TracedInputs) -> list[Case]:
        sizes = [prod(shape) for shape in inputs.shapes()]
        elements = max(sizes)
        tensors = (sum(sizes) + elements) / elements
        return [_streaming(op, inputs.dtype(), pass_, elements, tensors)]

    return read


def _filling(inputs: TracedInputs) -> list[Case]:
    return [_streaming("fill", inputs.dtype(), "", prod(inputs.shape(0)), 1)]


def _copying(inputs: TracedInputs) -> list[Case]:
    if inputs.dtype(0) != inputs.dtype(1):
        raise UnreadError("a copy to another type")
    return [_streaming("copy", inputs.dtype(), "", prod(inputs.shape(0)), 2)]


def _embedding(inputs: TracedInputs) -> list[Case]:
    _, width = inputs.shape(0, 2)
    elements = width * prod(inputs.shape(1))
    return [_streaming("embedding", inputs.dtype(), "", elements, 2)]


def _names(words: Sequence[str], make: Callable[[str], Reader]) -> dict[str, Reader]:
    return {word: make(word) for word in words}


_READERS: dict[str, Reader] = {
    "mm": _product(0, 1, 2),
    "addmm": _product(1, 2, 2),
    "bmm": _product(0, 1, 3),
    "baddbmm": _product(1, 2, 3),
    "_scaled_mm": _product(0, 1, 2),
    "convolution": _convolution,
    "convolution_backward": _convolution_backward,
    "scaled_dot_product_attention": _attention(0, "fwd"),
    **_names(_ATTENTION_GRADIENTS, lambda _: _attention(1, "bwd_all")),
    **{word: _recurrent(op) for word, op in _RECURRENT.items()},
    "native_layer_norm": _normalization("layer_norm", 2, ""),
    "_softmax": _normalization("softmax", 2, ""),
    "_log_softmax": _normalization("softmax", 2, ""),
    "batch_norm": _normalization("batch_norm", 2, ""),
    **{word: _normalization(op, 3, "bwd_all") for word, op in _NORM_GRADIENTS.items()},
    **_names((*_UNARY, *_BINARY), _elementwise),
    **{word: _elementwise(op, "bwd_all") for word, op in _ELEMENTWISE_GRADIENTS.items()},
    "sum": _normalization("sum", 1, ""),
    "mean": _normalization("sum", 1, ""),
    "fill": _filling,
    "zero": _filling,
    "copy": _copying,
    "embedding": _embedding,
}
