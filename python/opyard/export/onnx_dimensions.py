"""Extents that a model leaves open: asked for by name, and put in wherever the name stands."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from opyard.export.errors import ExportError

if TYPE_CHECKING:
    import onnx

_MOST_LISTED = 8
# The operators that exporters write between names: `past_length + 1`, `2*s0`, `s0//2`.
_OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.floordiv,
}


def parse_dims(words: Iterable[str]) -> dict[str, int]:
    """The extents of `NAME=N` words.

    Raises:
        ExportError: a word is of another form, or N is not 1 or more.
    """
    dims: dict[str, int] = {}
    for word in words:
        name, equals, extent = word.rpartition("=")
        is_whole = bool(equals and name) and extent.isascii() and extent.isdecimal()
        if not is_whole or not 1 <= int(extent[:20]) < 2**31:
            raise ExportError(
                f'--dim: found "{word}", expected NAME=N with a whole N from 1 to {2**31 - 1}'
            )
        if dims.setdefault(name, int(extent)) != int(extent):
            raise ExportError(f"--dim: found {name}={dims[name]} and {name}={extent}")
    return dims


def set_dimensions(model: onnx.ModelProto, dims: Mapping[str, int], place: str) -> None:
    """Puts extents in place of names, in all types of the model.

    Raises:
        ExportError: an input has an extent that nothing gives, or `dims` names one that
            the model does not have; the message is one line, with all of them.
    """
    inputs = _inputs(model)
    names = _names(inputs)
    unknown = [name for name in dims if name not in names]
    if unknown:
        known = ", ".join(list(names)[:_MOST_LISTED]) or "none"
        more = ", ..." if len(names) > _MOST_LISTED else ""
        raise ExportError(
            f"--dim: {place} has no dimension {', '.join(unknown)}; it has {known}{more}"
        )
    missing: list[str] = []
    for value in inputs:
        missing += _fill(value, dims)
    if missing:
        listed = " ".join(f"--dim {name}=N" for name in dict.fromkeys(missing))
        raise ExportError(f"{place}: dimensions without extent; give them by {listed}")
    for graph in _graphs(model.graph):
        for value in (*graph.value_info, *graph.output, *graph.input):
            for dim in _shape(value).dim:
                if dim.dim_param:
                    _put(dim, dim.dim_param, dims)


def _inputs(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    """The inputs that are no weights; those of sequences are refused."""
    weights = {tensor.name for tensor in model.graph.initializer}
    weights |= {tensor.values.name for tensor in model.graph.sparse_initializer}
    inputs = [value for value in model.graph.input if value.name not in weights]
    for value in inputs:
        kind = _tensor_type(value.type).WhichOneof("value")
        if kind != "tensor_type":
            found = (kind or "nothing").removesuffix("_type")
            raise ExportError(
                f'input "{value.name}": found a type of {found}, expected a tensor: how much it '
                "holds does not stand in the file"
            )
        if not _shape_of(value):
            raise ExportError(
                f'input "{value.name}": found no shape, not even how many dimensions; state it in '
                "the model"
            )
    return inputs


def _tensor_type(found: onnx.TypeProto) -> onnx.TypeProto:
    while found.HasField("optional_type"):
        found = found.optional_type.elem_type
    return found


def _shape_of(value: onnx.ValueInfoProto) -> bool:
    return _tensor_type(value.type).tensor_type.HasField("shape")


def _shape(value: onnx.ValueInfoProto) -> onnx.TensorShapeProto:
    return _tensor_type(value.type).tensor_type.shape


def _open(value: onnx.ValueInfoProto) -> list[tuple[object, str]]:
    """The dimensions without extent, with their names: `NAME`, or `INPUT:AXIS` without one."""
    return [
        (dim, dim.dim_param or f"{value.name}:{axis}")
        for axis, dim in enumerate(_shape(value).dim)
        if not dim.HasField("dim_value") or dim.dim_value < 0
    ]


def _names(inputs: list[onnx.ValueInfoProto]) -> dict[str, None]:
    names: dict[str, None] = {}
    for value in inputs:
        for _, name in _open(value):
            names.update(dict.fromkeys([name, *sorted(_parts(name))]))
    return names


def _fill(value: onnx.ValueInfoProto, dims: Mapping[str, int]) -> list[str]:
    """Puts in what `dims` gives; returns what is missing."""
    missing = []
    for dim, name in _open(value):
        if not _put(dim, name, dims):
            parts = [part for part in sorted(_parts(name)) if part not in dims]
            missing += parts or [name]
    return missing


def _put(dim: object, name: str, dims: Mapping[str, int]) -> bool:
    extent = dims[name] if name in dims else _evaluated(name, dims)
    if extent is None or extent < 0:
        return False
    dim.dim_value = extent  # clears the name
    return True


def _parsed(name: str) -> ast.expr | None:
    """`name` if it is arithmetic on names."""
    try:
        found = ast.parse(name, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return found if isinstance(found, ast.BinOp) else None


def _parts(name: str) -> set[str]:
    """The names in an arithmetic expression; none if it is a plain name."""
    found = _parsed(name)
    return {node.id for node in ast.walk(found) if isinstance(node, ast.Name)} if found else set()


def _evaluated(name: str, dims: Mapping[str, int]) -> int | None:
    found = _parsed(name)
    return _value(found, dims) if found else None


def _value(node: ast.expr, dims: Mapping[str, int]) -> int | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name):
        return dims.get(node.id)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = _value(node.left, dims), _value(node.right, dims)
        if (
            left is None
            or right is None
            or (right == 0 and isinstance(node.op, ast.FloorDiv | ast.Div))
        ):
            return None
        return _OPERATIONS[type(node.op)](left, right)
    return None


def _graphs(graph: onnx.GraphProto) -> Iterable[onnx.GraphProto]:
    from opyard.export.onnx_scope import graphs_of

    yield graph
    for node in graph.node:
        for body in graphs_of(node):
            yield from _graphs(body)
