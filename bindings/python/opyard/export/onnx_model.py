"""Opens an ONNX model: every extent given, shapes inferred, its tensors listed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opyard.export.errors import ExportError, one_line
from opyard.export.onnx_work import Value

if TYPE_CHECKING:
    import onnx

DTYPES = {
    "DOUBLE": "f64",
    "FLOAT": "f32",
    "FLOAT16": "f16",
    "BFLOAT16": "bf16",
    "FLOAT8E4M3FN": "f8",
    "FLOAT8E5M2": "f8",
    "INT64": "i64",
    "INT32": "i32",
    "INT16": "i16",
    "INT8": "i8",
    "UINT8": "u8",
    "BOOL": "bool",
}
# Ops whose results are constants where their inputs are.
CONSTANT_OPS = frozenset({"Constant", "ConstantOfShape"})


def require_onnx() -> None:
    """Raises ExportError, with the command that mends it, where the package onnx is missing."""
    try:
        import onnx  # noqa: F401
    except ImportError as error:
        raise ExportError(
            "reading and writing ONNX needs the package onnx, which is not installed here: "
            "pip install 'opyard[onnx]'"
        ) from error


def load_model(path: Path, dims: Mapping[str, int] | None = None) -> onnx.ModelProto:
    """Reads the model at `path`; `dims` gives its symbolic dimensions their extents.

    Raises:
        ExportError: onnx is missing, the file is no ONNX model, or a graph input
            has a dimension of unknown extent; the message is one line.
    """
    require_onnx()
    import onnx
    from google.protobuf.message import DecodeError

    try:
        model = onnx.load(str(path), load_external_data=False)
    except (OSError, DecodeError, ValueError, onnx.checker.ValidationError) as error:
        raise ExportError(f'"{path}" is no ONNX model: {one_line(error)}') from error
    if not model.graph.node:
        raise ExportError(f'"{path}": the model has no nodes')
    _set_dimensions(model, dict(dims or {}), path)
    try:
        return onnx.shape_inference.infer_shapes(model, data_prop=True)
    except Exception as error:  # the package raises several kinds, some of C++
        raise ExportError(f'"{path}": its shapes contradict: {one_line(error)}') from error


def _set_dimensions(model: onnx.ModelProto, dims: dict[str, int], path: Path) -> None:
    """Gives the dimensions of the graph's inputs their extents; forgets inferred ones."""
    weights = {tensor.name for tensor in model.graph.initializer}
    missing: list[str] = []
    for value in model.graph.input:
        shape = value.type.tensor_type.shape
        for position, dim in enumerate(shape.dim if value.name not in weights else ()):
            if dim.HasField("dim_value") and dim.dim_value >= 0:
                continue
            name = dim.dim_param or f"{value.name}:{position}"
            if name in dims:
                dim.dim_value = dims[name]
            else:
                missing.append(name)
    if missing:
        listed = " ".join(f"--dim {name}=N" for name in dict.fromkeys(missing))
        raise ExportError(f'"{path}": dimensions without extent; give them by {listed}')
    if dims:
        del model.graph.value_info[:]
        for value in model.graph.output:
            value.type.tensor_type.ClearField("shape")


def values_of(graph: onnx.GraphProto) -> dict[str, Value]:
    """What the file and its inference say of each tensor."""
    values: dict[str, Value] = {}
    for value in [*graph.input, *graph.value_info, *graph.output]:
        tensor = value.type.tensor_type
        extents = [dim.dim_value if dim.HasField("dim_value") else -1 for dim in tensor.shape.dim]
        is_known = tensor.HasField("shape") and all(extent >= 0 for extent in extents)
        values[value.name] = Value(
            tuple(extents) if is_known else None, dtype_name(tensor.elem_type)
        )
    for tensor in graph.initializer:
        values[tensor.name] = Value(tuple(tensor.dims), dtype_name(tensor.data_type))
    return values


def dtype_name(data_type: int) -> str:
    """The name of an element type of ONNX in a graph; "other" for those it has no name for."""
    import onnx

    try:
        return DTYPES.get(onnx.TensorProto.DataType.Name(data_type), "other")
    except ValueError:
        return "other"


def attributes_of(proto: onnx.NodeProto) -> dict[str, Any]:
    """The numbers and words among the attributes of a node."""
    import onnx

    kinds = onnx.AttributeProto
    wanted = (kinds.INT, kinds.INTS, kinds.FLOAT, kinds.STRING)
    found = {
        a.name: onnx.helper.get_attribute_value(a) for a in proto.attribute if a.type in wanted
    }
    return {
        name: value.decode(errors="replace") if isinstance(value, bytes) else value
        for name, value in found.items()
    }


def label_of(proto: onnx.NodeProto) -> str:
    """What messages call a node: its name, else its first output."""
    return str(proto.name or next((name for name in proto.output if name), proto.op_type))
