"""The element types of PyTorch in the words of graph files (docs/formats.md, "Graph")."""

from __future__ import annotations

import torch

from opyard.export.errors import ExportError

# The width decides: unsigned numbers are written as signed ones, but for bytes.
_NAMES = {
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "f8",
    "float8_e4m3fnuz": "f8",
    "float8_e5m2": "f8",
    "float8_e5m2fnuz": "f8",
    "float8_e8m0fnu": "f8",
    "float4_e2m1fn_x2": "u8",  # two to a byte, and shapes count bytes
    "complex128": "c128",
    "complex64": "c64",
    "complex32": "other",
    "int64": "i64",
    "uint64": "i64",
    "int32": "i32",
    "uint32": "i32",
    "int16": "i16",
    "uint16": "i16",
    "int8": "i8",
    "uint8": "u8",
    "qint32": "i32",
    "qint8": "i8",
    "quint8": "u8",
    "bool": "bool",
}
_DTYPES = {
    getattr(torch, name): written for name, written in _NAMES.items() if hasattr(torch, name)
}


def dtype_name(dtype: torch.dtype) -> str:
    """The name of `dtype` in a graph file.

    Raises:
        ExportError: it has none there.
    """
    if dtype not in _DTYPES:
        raise ExportError(
            f"a tensor has the element type {dtype}, which graphs do not know: expected one of "
            f"{', '.join(str(known).removeprefix('torch.') for known in _DTYPES)}"
        )
    return _DTYPES[dtype]


def arithmetic_dtype(outputs: list[torch.Tensor | None], inputs: list[torch.Tensor]) -> str | None:
    """That of the first floating-point or complex tensor, results first; else of the first."""
    tensors = [tensor for tensor in [*outputs, *inputs] if tensor is not None]
    counted = [
        tensor for tensor in tensors if tensor.dtype.is_floating_point or tensor.dtype.is_complex
    ]
    first = (counted or tensors or [None])[0]
    return None if first is None else dtype_name(first.dtype)
