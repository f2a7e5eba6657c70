"""Recognises ONNX models, by content: many end in `.pb`."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import BinaryIO

from opyard.export.errors import ExportError, one_line

SUFFIX = ".onnx"
_GZIP = b"\x1f\x8b"
_LARGEST_UNPACKED = 512 * 2**20  # as of all packed files (docs/formats.md)
# Fields of ModelProto, with their kinds on the wire: 0 a number, 2 a length and bytes.
_FIELDS = {1: 0, 2: 2, 3: 2, 4: 2, 5: 0, 6: 2, 7: 2, 8: 2, 14: 2, 20: 2, 25: 2, 26: 2}
_VERSION, _GRAPH, _OPSET = 1, 7, 8
_MOST_FIELDS = 65536  # a model has a field per operator set, property and function


def has_onnx_name(path: Path) -> bool:
    """True if `path` ends as ONNX models do, packed or not."""
    return path.name.removesuffix(".gz").endswith(SUFFIX)


def stem_of(path: Path) -> str:
    """The name of a model: that of its file without endings."""
    name = path.name.removesuffix(".gz")
    return name.removesuffix(SUFFIX) if name.endswith(SUFFIX) else name.removesuffix(".pb")


def is_onnx(path: Path) -> bool:
    """True if the regular file `path` holds the fields of an ONNX model, packed or not."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            if file.read(2) != _GZIP:
                return _has_model_fields(file, path.stat().st_size)
        with gzip.open(path) as file:  # seeks by reading on
            return _has_model_fields(file, _LARGEST_UNPACKED)
    except (OSError, EOFError, zlib.error):
        return False


def read_bytes(path: Path) -> bytes:
    """The content of `path`, unpacked.

    Raises:
        ExportError: it cannot be unpacked, or not within the limit of packed files.
        OSError: it cannot be read.
    """
    data = path.read_bytes()
    if not data.startswith(_GZIP):
        return data
    try:
        with gzip.open(path) as file:
            data = file.read(_LARGEST_UNPACKED + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ExportError(f'"{path}" cannot be unpacked: {one_line(error)}') from error
    if len(data) > _LARGEST_UNPACKED:
        raise ExportError(f'"{path}": found more than 512 MiB after unpacking, expected less')
    return data


def _has_model_fields(file: BinaryIO, size: int) -> bool:
    """Walks over the outermost fields, which say what a protocol buffer is."""
    file.seek(0)
    seen = set()
    for _ in range(_MOST_FIELDS):
        tag = _read_number(file)
        if tag is None:
            break
        field, kind = tag >> 3, tag & 7
        if _FIELDS.get(field) != kind:
            return False
        seen.add(field)
        if {_VERSION, _GRAPH, _OPSET} <= seen:
            return True
        number = _read_number(file)
        if number is None or (kind == 2 and file.tell() + number > size):
            return False
        if kind == 2:
            file.seek(number, 1)
    return {_VERSION, _GRAPH} <= seen  # version 1 and 2 of the protocol name no operator sets


def _read_number(file: BinaryIO) -> int | None:
    """A varint; None at the end of the file, or if it is too long."""
    number = 0
    for shift in range(0, 70, 7):
        byte = file.read(1)
        if not byte:
            return None
        number |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return number
    return None
