"""Opens an ONNX model: every extent given, shapes inferred, inner computations in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from opyard.export.errors import ExportError, one_line
from opyard.export.onnx_constants import drop_bulk
from opyard.export.onnx_dimensions import set_dimensions
from opyard.export.onnx_flat import FlatModel
from opyard.export.onnx_functions import Functions
from opyard.export.onnx_opening import Limits, Opening, partial_type
from opyard.export.onnx_recognition import read_bytes
from opyard.export.onnx_scope import Scope
from opyard.export.onnx_types import check_element

if TYPE_CHECKING:
    import onnx
    from google.protobuf.message import Message


def require_onnx() -> None:
    """Raises ExportError, with the command that mends it, where the package onnx is missing."""
    try:
        import onnx  # noqa: F401
    except ImportError as error:
        raise ExportError(
            "reading and writing ONNX needs the package onnx, which is not installed here: "
            "pip install 'opyard[onnx]'"
        ) from error


@contextmanager
def errors_on_one_line() -> Iterator[None]:
    """Makes one line of what ExportError says: names in a model may hold line breaks."""
    try:
        yield
    except ExportError as error:
        raise ExportError(" ".join(str(error).split())) from error


@errors_on_one_line()
def load_model(
    path: Path, dims: Mapping[str, int] | None = None, limits: Limits | None = None
) -> FlatModel:
    """Reads the model at `path`; `dims` gives its symbolic dimensions their extents.

    The values of large weights are not read, neither those in the file nor those beside it.

    Raises:
        ExportError: onnx is missing, the file is no ONNX model, or a graph input
            has a dimension of unknown extent; the message is one line.
    """
    require_onnx()
    model = _parse(path)
    if not model.graph.node:
        raise ExportError(f'"{path}": the model has no nodes')
    set_dimensions(model, dict(dims or {}), f'"{path}"')
    return _flatten(model, path, limits or Limits())


def _parse(path: Path) -> onnx.ModelProto:
    import onnx
    from google.protobuf.message import DecodeError

    try:
        model = onnx.ModelProto.FromString(read_bytes(path))
    except OSError as error:
        raise ExportError(f'"{path}": {error.strerror}, expected an ONNX model') from error
    except (DecodeError, ValueError) as error:
        raise ExportError(f'"{path}" is no ONNX model: {one_line(error)}') from error
    drop_bulk(model.graph)
    _check_texts(model, path)
    return model


def _check_texts(message: Message, path: Path) -> None:
    """Raises ExportError if a text is no UTF-8: the parser hands such ones on as bytes."""
    for field, value in message.ListFields():
        values = value if field.is_repeated else [value]
        if field.type == field.TYPE_MESSAGE:
            for part in values:
                _check_texts(part, path)
        elif field.type == field.TYPE_STRING:
            for text in values:
                if not isinstance(text, str):
                    raise ExportError(f'"{path}": found {text!r} in {field.name}, expected UTF-8')


def _flatten(model: onnx.ModelProto, path: Path, limits: Limits) -> FlatModel:
    functions = Functions(model)
    functions.check()
    opening = Opening(functions, path.parent, limits)
    scope = Scope({opset.domain: opset.version for opset in model.opset_import})
    flat = opening.flat
    flat.nodes_read = len(model.graph.node)
    weights = {tensor.name for tensor in model.graph.initializer}
    weights |= {tensor.values.name for tensor in model.graph.sparse_initializer}
    for value in model.graph.input:
        if value.name not in weights:
            known = partial_type(value.type)
            check_element(known.element, value.name)
            name = opening.fresh(value.name)
            scope.bindings[value.name] = name
            flat.values[name] = known.value
            flat.inputs.append(name)
    opening.add_graph(model.graph, scope)
    for value in model.graph.output:
        found = scope.find(value.name)
        if found is None:
            raise ExportError(f'"{path}": its result "{value.name}" is made by no node')
        flat.outputs += found if isinstance(found, list) else [found]
    return flat
