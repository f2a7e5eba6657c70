"""ONNX's products, convolutions, windows and norms, written with the graph builder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from opyard import _core
from opyard.export.onnx_call import Call, RefusedError, Rule, Shape, Tensor


def _gemm(call: Call) -> Tensor:
    left, right, bias = [*call.tensors, None][:3]
    if call.attributes.get("transA", 0):
        left = call.builder.transpose(left, (1, 0))
    transposed = "second" if call.attributes.get("transB", 0) else "none"
    product = call.builder.matmul(left, right, transposed)
    return product if bias is None else _with_bias(call, product, bias)


def _with_bias(call: Call, x: Tensor, bias: Tensor) -> Tensor:
    if bias.shape == (x.shape[1],):
        return call.builder.bias_add(x, bias, 1)
    return call.builder.binary("AddV2", x, bias)


def _matmul(call: Call) -> Tensor:
    left, right = call.tensors
    if len(right.shape) <= 2:  # a batch of rows against one matrix is one product
        inner = right.shape[0]
        matrix = call.reshaped(right, (inner, prod(right.shape[1:])))
        rows = call.reshaped(left, (prod(left.shape) // inner, inner))
        return call.reshaped(call.builder.matmul(rows, matrix), call.shape())
    left = call.reshaped(left, (1, *left.shape)) if len(left.shape) == 1 else left
    batch = right.shape[:-2] if len(left.shape) == 2 else _batch(left.shape, right.shape)
    left = call.stretched(left, (*batch, *left.shape[-2:]))
    right = call.stretched(right, (*batch, *right.shape[-2:]))
    return call.reshaped(call.builder.matmul(left, right), call.shape())


def _batch(left: Shape, right: Shape) -> Shape:
    length = max(len(left), len(right)) - 2
    pairs = zip(
        (1,) * (length + 2 - len(left)) + left[:-2],
        (1,) * (length + 2 - len(right)) + right[:-2],
        strict=True,
    )
    return tuple(max(pair) for pair in pairs)


@dataclass(frozen=True)
class _Moves:
    """The moves of a window over the last two extents of an image."""

    image: Tensor  # padded where `pads` cannot say it
    extents: Shape
    strides: Shape
    dilations: Shape
    pads: Shape

    def window(self, groups: int = 1) -> _core.Window:
        return _core.Window(
            extents=self.extents,
            strides=self.strides,
            pads=self.pads,
            dilations=self.dilations,
            groups=groups,
        )


def _moves(call: Call, image: Tensor, extents: Shape, places: Shape) -> _Moves:
    """Moves that give `places` results; a pad op stands before them where the sides differ."""
    strides, dilations, begins = [], [], []
    before, behind = [0, 0, 0, 0], [0, 0, 0, 0]
    is_even = True
    for side in range(2):
        stride = call.attributes.get("strides", (1, 1))[side]
        dilation = call.attributes.get("dilations", (1, 1))[side]
        span = dilation * (extents[side] - 1) + 1
        extent = image.shape[2 + side]
        missing = (places[side] - 1) * stride + span - extent
        begin = _begin(call, side, max(missing, 0))
        is_even = is_even and (extent + 2 * begin - span) // stride + 1 == places[side]
        before[2 + side], behind[2 + side] = begin, max(missing - begin, 0)
        strides.append(stride)
        dilations.append(dilation)
        begins.append(begin)
    if not is_even:
        image, begins = call.builder.pad(image, before, behind), [0, 0]
    return _Moves(image, extents, tuple(strides), tuple(dilations), tuple(begins))


def _begin(call: Call, side: int, missing: int) -> int:
    """The padding before a side of which `missing` elements have to be made up."""
    rule = call.attributes.get("auto_pad", "NOTSET")
    if rule.startswith("SAME"):
        return missing // 2 if rule == "SAME_UPPER" else missing - missing // 2
    return call.attributes.get("pads", (0, 0, 0, 0))[side] if rule == "NOTSET" else 0


def _plane(call: Call, *tensors: Tensor) -> None:
    """Refuses images and filters that are not [., ., height, width]."""
    for tensor in tensors:
        if len(tensor.shape) != 4:
            raise RefusedError(f"has {len(tensor.shape) - 2} dimensions of space, expected 2")


def _conv(call: Call) -> Tensor:
    image, weight, bias = [*call.tensors, None][:3]
    _plane(call, image, weight)
    moves = _moves(call, image, weight.shape[2:], call.shape()[2:])
    window = moves.window(call.attributes.get("group", 1))
    convolved = call.builder.conv(moves.image, weight, window)
    return convolved if bias is None else call.builder.bias_add(convolved, bias, 1)


def _conv_transpose(call: Call) -> Tensor:
    x, weight, bias = [*call.tensors, None][:3]
    _plane(call, x, weight)
    pads = call.attributes.get("pads", (0, 0, 0, 0))
    if tuple(pads[:2]) != tuple(pads[2:]):
        raise RefusedError("is padded differently on two sides")
    window = _core.Window(
        extents=weight.shape[2:],
        strides=call.attributes.get("strides", (1, 1)),
        pads=pads[:2],
        dilations=call.attributes.get("dilations", (1, 1)),
        groups=call.attributes.get("group", 1),
    )
    grown = call.builder.conv_transpose(x, weight, window, call.shape())
    return grown if bias is None else call.builder.bias_add(grown, bias, 1)


def _pool(kind: str) -> Callable[[Call], Tensor]:
    def pool(call: Call) -> Tensor:
        _plane(call, call.tensors[0])
        extents = tuple(call.attributes["kernel_shape"])
        moves = _moves(call, call.tensors[0], extents, call.shape()[2:])
        return call.builder.pool(kind, moves.image, moves.window())

    return pool


def _global_average(call: Call) -> Tensor:
    axes = range(2, len(call.tensors[0].shape))
    return call.builder.reduce("Mean", call.tensors[0], axes, keep_dims=True)


def _batch_norm(call: Call) -> Tensor:
    x, scale, offset = call.tensors
    image = call.reshaped(x, (*x.shape[:2], prod(x.shape[2:3]), prod(x.shape[3:])))
    return call.reshaped(call.builder.batch_norm(image, scale, offset), x.shape)


def _layer_norm(call: Call) -> Tensor:
    x, scale, offset = [*call.tensors, None][:3]
    width = prod(x.shape[call.axis(-1, len(x.shape)) :])
    if offset is None:
        raise RefusedError("has no offset")
    rows = call.reshaped(x, (prod(x.shape) // width, width))
    scale, offset = call.reshaped(scale, (width,)), call.reshaped(offset, (width,))
    return call.reshaped(call.builder.layer_norm(rows, scale, offset), x.shape)


def _softmax(call: Call) -> Tensor:
    x = call.tensors[0]
    rank = len(x.shape)
    if call.opset < 13:  # over all axes from the first one on
        axis = call.axis(1, rank)
        rows = call.reshaped(x, (prod(x.shape[:axis]), prod(x.shape[axis:])))
        return call.reshaped(call.builder.unary("Softmax", rows), x.shape)
    axis = call.axis(-1, rank)
    if axis == rank - 1:
        return call.builder.unary("Softmax", x)
    exchanged = list(range(rank))
    exchanged[axis], exchanged[-1] = rank - 1, axis
    rows = call.builder.unary("Softmax", call.builder.transpose(x, exchanged))
    return call.builder.transpose(rows, exchanged)


LAYER_RULES: dict[str, Rule] = {
    "Gemm": Rule(_gemm),
    "MatMul": Rule(_matmul),
    "Conv": Rule(_conv),
    "ConvTranspose": Rule(_conv_transpose),
    "MaxPool": Rule(_pool("MaxPool")),
    "AveragePool": Rule(_pool("AvgPool")),
    "GlobalAveragePool": Rule(_global_average),
    "BatchNormalization": Rule(_batch_norm, reads=3),
    "LayerNormalization": Rule(_layer_norm),
    "Softmax": Rule(_softmax),
}
