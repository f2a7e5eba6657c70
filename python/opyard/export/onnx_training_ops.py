"""The rules that write ONNX ops with the graph builder, whose ops have gradient rules.

One row per op in `RULES`. A rule sees one node (`Call`), adds ops and returns the
node's results. Dropout drops and batch normalisation uses the statistics of the
batch, as in training; all else does what the node does at inference, with as
many operations.
"""

from __future__ import annotations

from collections.abc import Callable

from opyard.export.onnx_call import Call, RefusedError, Rule, Tensor
from opyard.export.onnx_training_layers import LAYER_RULES


def _unary(kind: str) -> Callable[[Call], Tensor]:
    return lambda call: call.builder.unary(kind, call.tensors[0])


def _binary(kind: str) -> Callable[[Call], Tensor]:
    return lambda call: call.builder.binary(kind, *call.tensors)


def _sum(call: Call) -> Tensor:
    total = call.tensors[0]
    for term in call.tensors[1:]:
        total = call.builder.binary("AddV2", total, term)
    return total


def _pow(call: Call) -> Tensor:
    exponent = call.constants[1]
    if exponent is not None and exponent.size == 1 and float(exponent.reshape(-1)[0]) == 2.0:
        return call.builder.unary("Square", call.tensors[0])
    return call.builder.binary("Pow", *call.tensors)


def _clip(call: Call) -> Tensor:
    bounds = call.number("min", 1, float("-inf")), call.number("max", 2, float("inf"))
    if bounds == (0.0, 6.0):
        return call.builder.unary("Relu6", call.tensors[0])
    if bounds == (0.0, float("inf")):
        return call.builder.unary("Relu", call.tensors[0])
    raise RefusedError(f"clips to {bounds[0]:g} .. {bounds[1]:g}, expected 0 .. 6")


def _dropout(call: Call) -> Tensor:
    is_on = call.number("ratio", 1, 0.5) > 0.0
    return call.builder.dropout(call.tensors[0]) if is_on else call.tensors[0]


def _reduce(kind: str) -> Callable[[Call], Tensor]:
    def reduce(call: Call) -> Tensor:
        x = call.tensors[0]
        rank = len(x.shape)
        axes = call.numbers("axes", 1) or list(range(rank))
        keeps = bool(call.attributes.get("keepdims", 1))
        return call.builder.reduce(kind, x, sorted(a % rank for a in axes), keep_dims=keeps)

    return reduce


def _gather(call: Call) -> Tensor:
    table, indices = call.tensors
    axis = call.axis(0, len(table.shape))
    if axis == 0:
        return call.builder.gather(table, indices)
    wanted = call.constants[1]
    if wanted is None or wanted.size != 1:
        raise RefusedError(f"gathers several entries of axis {axis}, expected axis 0")
    begin, size = [0] * len(table.shape), list(table.shape)
    begin[axis], size[axis] = int(wanted.reshape(-1)[0]) % table.shape[axis], 1
    return call.reshaped(call.builder.slice(table, begin, size), call.shape())


def _concat(call: Call) -> Tensor:
    return call.builder.concat(call.tensors, call.axis(0, len(call.tensors[0].shape)))


def _stack(call: Call) -> Tensor:
    axis = call.attributes["axis"]
    shapes = [(*t.shape[:axis], 1, *t.shape[axis:]) for t in call.tensors]
    parts = [call.reshaped(t, shape) for t, shape in zip(call.tensors, shapes, strict=True)]
    return call.builder.concat(parts, axis) if len(parts) > 1 else parts[0]


def _split(call: Call) -> list[Tensor]:
    x = call.tensors[0]
    axis = call.axis(0, len(x.shape))
    shapes = [call.shape(result) for result in range(len(call.shapes))]
    if len(set(shapes)) == 1:
        return call.builder.split(x, len(shapes), axis)
    parts, begin = [], [0] * len(x.shape)
    for shape in shapes:
        parts.append(call.builder.slice(x, begin, shape))
        begin[axis] += shape[axis]
    return parts


def _slice(call: Call) -> Tensor:
    x = call.tensors[0]
    starts = call.numbers("starts", 1) or []
    axes = call.numbers("axes", 3) or list(range(len(starts)))
    if any(step != 1 for step in call.numbers("steps", 4) or []):
        raise RefusedError("slices with steps other than 1")
    begin = [0] * len(x.shape)
    for axis, start in zip(axes, starts, strict=True):
        extent = x.shape[axis]
        begin[axis] = max(start + extent, 0) if start < 0 else min(start, extent)
    return call.builder.slice(x, begin, call.shape())


def _pad(call: Call) -> Tensor:
    x = call.tensors[0]
    pads = call.numbers("pads", 1) or []
    rank = len(x.shape)
    if call.attributes.get("mode", "constant") != "constant" or call.has(3):
        raise RefusedError("pads otherwise than with a constant on all axes")
    if len(pads) != 2 * rank or min(pads, default=0) < 0:
        raise RefusedError(f"found pads {pads}, expected {2 * rank} numbers, 0 or more")
    return call.builder.pad(x, pads[:rank], pads[rank:])


def _transpose(call: Call) -> Tensor:
    x = call.tensors[0]
    return call.builder.transpose(x, call.attributes.get("perm", range(len(x.shape))[::-1]))


def _view(call: Call) -> Tensor:
    return call.reshaped(call.tensors[0], call.shape())


RULES: dict[str, Rule] = LAYER_RULES | {
    # Arithmetic, one element at a time.
    "Add": Rule(_binary("AddV2")),
    "Sub": Rule(_binary("Sub")),
    "Mul": Rule(_binary("Mul")),
    "Div": Rule(_binary("RealDiv")),
    "Sum": Rule(_sum),
    "Neg": Rule(_unary("Neg")),
    "Exp": Rule(_unary("Exp")),
    "Log": Rule(_unary("Log")),
    "Sqrt": Rule(_unary("Sqrt")),
    "Erf": Rule(_unary("Erf")),
    "Pow": Rule(_pow),
    "Where": Rule(lambda call: call.builder.select(*call.tensors)),
    "Less": Rule(_binary("Less")),
    "GreaterOrEqual": Rule(_binary("GreaterEqual")),
    "Cast": Rule(lambda call: call.builder.cast(call.tensors[0], call.dtype)),
    # Activations.
    "Relu": Rule(_unary("Relu")),
    "LeakyRelu": Rule(_unary("LeakyRelu")),
    "Clip": Rule(_clip, reads=1),
    "Sigmoid": Rule(_unary("Sigmoid")),
    "Tanh": Rule(_unary("Tanh")),
    "Gelu": Rule(_unary("Gelu")),
    "Dropout": Rule(_dropout, reads=1),
    # Reductions.
    "ReduceSum": Rule(_reduce("Sum"), reads=1),
    "ReduceMean": Rule(_reduce("Mean"), reads=1),
    # Movement of data.
    "Gather": Rule(_gather),
    "Concat": Rule(_concat),
    "Split": Rule(_split, reads=1),
    "Stack": Rule(_stack),
    "Slice": Rule(_slice, reads=1),
    "Pad": Rule(_pad, reads=1),
    "Transpose": Rule(_transpose),
    "Expand": Rule(lambda call: call.stretched(call.tensors[0], call.shape()), reads=1),
    "Reshape": Rule(_view, reads=1),
    "Flatten": Rule(_view, reads=1),
    "Squeeze": Rule(_view, reads=1),
    "Unsqueeze": Rule(_view, reads=1),
    "Identity": Rule(lambda call: call.tensors[0]),
}
