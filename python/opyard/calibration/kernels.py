"""Ops of the cost model from rows of measured kernels: shapes, FLOPs and bytes by the op's name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from opyard.calibration.errors import CalibrationError
from opyard.calibration.rows import Row

# The element types of files -> ours, and the bits of an element in memory.
DTYPES: dict[str, tuple[str, int]] = {
    "fp64": ("f64", 64),
    "float64": ("f64", 64),
    "fp32": ("f32", 32),
    "float32": ("f32", 32),
    "fp32_or_tf32": ("f32", 32),
    "tf32": ("tf32", 32),
    "fp16": ("f16", 16),
    "float16": ("f16", 16),
    "half": ("f16", 16),
    "fp16_tensorcore": ("f16", 16),
    "fp16in_fp32math": ("f32", 16),
    "bfloat16": ("bf16", 16),
    "fp8": ("f8", 8),
    "int8": ("i8", 8),
    **{name: (name, bits) for name, bits in (("f64", 64), ("f32", 32), ("f16", 16))},
    **{name: (name, bits) for name, bits in (("bf16", 16), ("f8", 8), ("i8", 8))},
}
# Element types whose arithmetic is not that of their name, or not known: predicted, never fitted.
UNSURE_DTYPES = ("fp16in_fp32math", "fp32_or_tf32")

PASSES = {
    "": "forward",
    "fwd": "forward",
    "forward": "forward",
    "bwd_data": "backward_data",
    "backward_data": "backward_data",
    "bwd_weight": "backward_weight",
    "backward_weight": "backward_weight",
    "bwd": "backward",
    "bwd_all": "backward",
    "backward": "backward",
}

_GATES = {"rnn_vanilla": 1, "rnn": 1, "rnn_gru": 3, "gru": 3, "rnn_lstm": 4, "lstm": 4}
_RNN_TYPES = {1: "RNN", 3: "GRU", 4: "LSTM"}


@dataclass(frozen=True)
class Elementwise:
    """An op without a shape block: its type and class, and its work for each element."""

    type: str
    fusion_class: str = "elementwise"
    passes: float = 2.0  # elements read and written, for each of `elements`
    flops: float = 1.0


_NORM = Elementwise("LayerNorm", "reduction", 2.0, 8.0)
# By the op's name in files, without a prefix such as `aten::` and a trailing underscore.
ELEMENTWISE = {
    "add": Elementwise("Add", passes=3.0),
    "sub": Elementwise("Sub", passes=3.0),
    "mul": Elementwise("Mul", passes=3.0),
    "div": Elementwise("Div", passes=3.0),
    "copy": Elementwise("Copy", flops=0.0),
    "relu": Elementwise("Relu"),
    "gelu": Elementwise("Gelu", flops=8.0),
    "silu": Elementwise("Silu", flops=5.0),
    "exp": Elementwise("Exp", flops=4.0),
    "tanh": Elementwise("Tanh", flops=5.0),
    "clamp_min": Elementwise("Clamp"),
    "sigmoid": Elementwise("Sigmoid", flops=4.0),
    "threshold_backward": Elementwise("ReluGrad", passes=3.0),
    "attn_rope": Elementwise("RotaryEmbedding", flops=3.0),
    "rope": Elementwise("RotaryEmbedding", flops=3.0),
    "mlp_act": Elementwise("SwiGLU", passes=3.0, flops=6.0),
    "silu_and_mul": Elementwise("SwiGLU", passes=3.0, flops=6.0),
    "layer_norm": _NORM,
    "input_layernorm": _NORM,
    "post_attention_layernorm": _NORM,
    "rms_norm": Elementwise("RMSNorm", "reduction", 2.0, 4.0),
    "batch_norm": Elementwise("BatchNorm", "reduction", 3.0, 5.0),
    "softmax": Elementwise("Softmax", "reduction", 2.0, 5.0),
    "transpose": Elementwise("Transpose", "reshape", 2.0, 0.0),
    "sum": Elementwise("Sum", "reduction", 1.0, 1.0),
    "embedding": Elementwise("Embedding", "opaque", 2.0, 0.0),
}


# Kernels that measure the memory, by their whole names: they move the bytes that they say.
_STREAM = {
    "triad": Elementwise("StreamTriad", passes=3.0, flops=2.0),
    "scale": Elementwise("StreamScale"),
    "copy": Elementwise("StreamCopy", flops=0.0),
}
STREAM_TYPES = tuple(entry.type for entry in _STREAM.values())


def elementwise_of(op: str) -> Elementwise | None:
    """The entry of an op by its name in files; None for another op."""
    return _STREAM.get(op) or ELEMENTWISE.get(op.rpartition("::")[2].rstrip("_"))


def is_known(row: Row) -> bool:
    """Whether the cost model has an equation for this row's op and element type."""
    known = row.op in ("gemm", "conv2d", "attention") or row.op in _GATES
    return row.dtype in DTYPES and (known or elementwise_of(row.op) is not None)


def op_of(row: Row) -> dict[str, Any]:
    """The op of a graph file that stands for `row`.

    Raises:
        CalibrationError: If a column that the op needs is missing or out of range.
    """
    if row.op == "gemm":
        return _gemm(row)
    if row.op == "conv2d":
        return _conv(row)
    if row.op in _GATES:
        return _rnn(row)
    if row.op == "attention":
        return _attention(row)
    return _elementwise(row)


def shape_key(row: Row) -> tuple[float, ...]:
    """The shape of a row, whatever its pass, transposition or element type."""
    names = {
        "gemm": ("M", "N", "K"),
        "conv2d": ("N", "C", "H", "W", "K", "R", "S"),
        "attention": ("heads", "seq_q", "seq_kv", "head_dim"),
    }.get(row.op, ("hidden", "batch") if row.op in _GATES else ("elements",))
    return tuple(row.number(name, 0.0) for name in names)


def _extent(row: Row, name: str, default: float | None = None) -> int:
    value = row.number(name, default)
    if value != int(value) or value > 2**31 - 1:
        raise CalibrationError(f"{row.place}: {name}: found {value}, expected a whole number")
    return int(value)


def _basis(row: Row, type_: str) -> tuple[dict[str, Any], float]:
    """What all ops have, and the bytes of an element."""
    dtype, bits = DTYPES[row.dtype]
    return {"type": type_, "dtype": dtype, "inputs": []}, bits / 8.0


def _with_bytes(op: dict[str, Any], total: float, made: float) -> dict[str, Any]:
    op["bytes_accessed"] = round(total)
    op["outputs"] = [{"bytes": round(made)}]
    return op


def _gemm(row: Row) -> dict[str, Any]:
    op, size = _basis(row, "MatMul")
    m, n, k = (_extent(row, name) for name in ("M", "N", "K"))
    batch = _extent(row, "batch", 1.0)
    op["gemm"] = {"m": m, "n": n, "k": k, "batch": batch}
    # Products of 8-bit operands are written as 16 bits, of integers as 32.
    result = {"f8": 2.0, "i8": 4.0}.get(op["dtype"], size)
    op["weight_bytes"] = round(k * n * size * batch)
    made = m * n * result * batch
    return _with_bytes(op, (m * k + k * n) * size * batch + made, made)


def _conv(row: Row) -> dict[str, Any]:
    op, size = _basis(row, "Conv2D")
    shape: dict[str, Any] = {
        name.lower(): _extent(row, name) for name in ("N", "C", "H", "W", "K", "R", "S")
    }
    defaults = {"pad_h": 0.0, "pad_w": 0.0, "stride_h": 1.0, "stride_w": 1.0, "groups": 1.0}
    shape.update({name: _extent(row, name, value) for name, value in defaults.items()})
    shape["pass"] = _pass_of(row, ("forward", "backward_data", "backward_weight"))
    op["conv"] = shape
    height = _outputs(shape["h"], shape["pad_h"], shape["r"], shape["stride_h"])
    width = _outputs(shape["w"], shape["pad_w"], shape["s"], shape["stride_w"])
    image = shape["n"] * shape["c"] * shape["h"] * shape["w"] * size
    result = shape["n"] * shape["k"] * height * width * size
    filters = shape["k"] * shape["c"] // max(shape["groups"], 1) * shape["r"] * shape["s"] * size
    made = {"forward": result, "backward_data": image, "backward_weight": filters}
    return _with_bytes(op, image + result + filters, made[shape["pass"]])


def _outputs(extent: int, pad: int, window: int, stride: int) -> int:
    return max(0, extent + 2 * pad - window) // max(stride, 1) + 1


def _rnn(row: Row) -> dict[str, Any]:
    """The products with the state of each step; those with the inputs are not part of the time."""
    gates = _GATES[row.op]
    op, size = _basis(row, _RNN_TYPES[gates])
    hidden, batch, steps = (_extent(row, name) for name in ("hidden", "batch", "timesteps"))
    passed = _pass_of(row, ("forward", "backward_data", "backward_weight", "backward"))
    op["rnn"] = {"pass": passed, "hidden": hidden, "batch": batch, "timesteps": steps}
    op["flops"] = 2.0 * gates * hidden * hidden * batch * steps
    op["weight_bytes"] = round(gates * hidden * hidden * size)
    made = batch * hidden * steps * size
    return _with_bytes(op, op["weight_bytes"] + 2 * made, made)


def _attention(row: Row) -> dict[str, Any]:
    op, size = _basis(row, "Attention")
    batch = _extent(row, "batch", 1.0)
    heads, queries, keys, width = (
        _extent(row, name) for name in ("heads", "seq_q", "seq_kv", "head_dim")
    )
    passed = _pass_of(row, ("forward", "backward"))
    op["attention"] = {
        "pass": passed,
        "batch": batch,
        "heads": heads,
        "queries": queries,
        "keys": keys,
        "width": width,
        "causal": bool(row.number("causal", 0.0)),
        "flash": bool(row.number("flash", 1.0)),
    }
    made = batch * heads * queries * width * size
    read = 2 * batch * heads * keys * width * size + made
    return _with_bytes(op, (made + read) * (2 if passed == "backward" else 1), made)


def _elementwise(row: Row) -> dict[str, Any]:
    entry = elementwise_of(row.op)
    if entry is None:
        raise CalibrationError(f"{row.place}: op: found {row.op}, expected one that is modelled")
    op, size = _basis(row, entry.type)
    elements = row.number("elements", 0.0)
    op["fusion_class"] = entry.fusion_class
    op["flops"] = entry.flops * elements
    total = row.number("bytes", entry.passes * elements * size)
    return _with_bytes(op, total, min(elements * size, total))


def _pass_of(row: Row, known: tuple[str, ...]) -> str:
    passed = PASSES.get(row.passed, row.passed)
    if passed not in known:
        raise CalibrationError(
            f'{row.place}: pass: found "{row.passed}", expected one of {", ".join(known)}'
        )
    return passed
