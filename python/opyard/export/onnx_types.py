"""Element types of ONNX, what a graph calls them, and how many bytes a tensor of them takes."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from opyard.export.errors import ExportError

# Name in TensorProto.DataType → name in a graph (the width decides), bits of an element. Those
# below a byte are packed; a string has no size of its own and counts none.
_ROWS: dict[str, tuple[str, int]] = {
    "DOUBLE": ("f64", 64),
    "FLOAT": ("f32", 32),
    "FLOAT16": ("f16", 16),
    "BFLOAT16": ("bf16", 16),
    "FLOAT8E4M3FN": ("f8", 8),
    "FLOAT8E4M3FNUZ": ("f8", 8),
    "FLOAT8E5M2": ("f8", 8),
    "FLOAT8E5M2FNUZ": ("f8", 8),
    "FLOAT8E8M0": ("f8", 8),
    "FLOAT6E2M3": ("f8", 6),
    "FLOAT6E3M2": ("f8", 6),
    "FLOAT4E2M1": ("f4", 4),
    "COMPLEX64": ("c64", 64),
    "COMPLEX128": ("c128", 128),
    "INT64": ("i64", 64),
    "UINT64": ("i64", 64),
    "INT32": ("i32", 32),
    "UINT32": ("i32", 32),
    "INT16": ("i16", 16),
    "UINT16": ("i16", 16),
    "INT8": ("i8", 8),
    "UINT8": ("u8", 8),
    "INT4": ("i4", 4),
    "UINT4": ("i4", 4),
    "INT2": ("i2", 2),
    "UINT2": ("i2", 2),
    "BOOL": ("bool", 8),
    "STRING": ("other", 0),
}
# The numbers stand in the protocol, which never changes them (onnx.proto, TensorProto.DataType).
_NUMBERS = [
    "FLOAT",
    "UINT8",
    "INT8",
    "UINT16",
    "INT16",
    "INT32",
    "INT64",
    "STRING",
    "BOOL",
    "FLOAT16",
    "DOUBLE",
    "UINT32",
    "UINT64",
    "COMPLEX64",
    "COMPLEX128",
    "BFLOAT16",
    "FLOAT8E4M3FN",
    "FLOAT8E4M3FNUZ",
    "FLOAT8E5M2",
    "FLOAT8E5M2FNUZ",
    "UINT4",
    "INT4",
    "FLOAT4E2M1",
    "FLOAT8E8M0",
    "UINT2",
    "INT2",
    "FLOAT6E2M3",
    "FLOAT6E3M2",
]
_TYPES = {number: _ROWS[name] for number, name in enumerate(_NUMBERS, start=1)}

UNDEFINED = 0
FLOAT, UINT8, INT8, INT32, INT64, STRING, BOOL = 1, 2, 3, 6, 7, 8, 9
FLOATING = frozenset({"f64", "f32", "tf32", "f16", "bf16", "f8", "f4", "c64", "c128"})
# The type that a file names for each of ours: the first of several, FLOAT8E4M3FN for f8.
ONNX_NAMES = {ours: name for name, (ours, _) in reversed(_ROWS.items()) if name != "STRING"}
ONNX_NAMES |= {"tf32": "FLOAT"}

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Value:
    """A tensor; `shape` is None where neither the file nor its inference says it."""

    shape: Shape | None
    element: int  # number in TensorProto.DataType; UNDEFINED if not known

    @property
    def dtype(self) -> str:
        """Its element type in the words of a graph."""
        return _TYPES[self.element][0] if self.element in _TYPES else "other"

    @property
    def is_floating(self) -> bool:
        return self.dtype in FLOATING

    @property
    def bytes(self) -> int | None:
        """Its size, None where the shape or the element type is not known."""
        if self.shape is None or self.element not in _TYPES:
            return None
        return (prod(self.shape) * _TYPES[self.element][1] + 7) // 8


UNKNOWN = Value(None, UNDEFINED)


def check_element(element: int, tensor: str) -> None:
    """Raises ExportError if `element`, that of `tensor`, is no type of ONNX."""
    if element not in _TYPES:
        found = "none" if element == UNDEFINED else f"number {element}"
        raise ExportError(
            f'tensor "{tensor}": found element type {found}, expected one of ONNX '
            f"({_NUMBERS[0]} = 1 to {_NUMBERS[-1]} = {len(_NUMBERS)})"
        )
