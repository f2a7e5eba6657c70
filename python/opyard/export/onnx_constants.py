"""The values of constants, as far as shapes can depend on them: those of few elements."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from opyard.export.errors import ExportError, one_line
from opyard.export.onnx_flat import Constant
from opyard.export.onnx_types import STRING, Value, check_element

if TYPE_CHECKING:
    import numpy as np
    import onnx

MOST_ELEMENTS = 4096  # longer ones are no axes, extents or bounds
_BULKY_BYTES = 65536
_DATA_FIELDS = ("raw_data", "float_data", "int32_data", "int64_data", "double_data", "uint64_data")


def value_of(tensor: onnx.TensorProto, name: str) -> Value:
    """Shape and element type of a tensor of the file.

    Raises:
        ExportError: the type is none of ONNX, or an extent is negative.
    """
    check_element(tensor.data_type, name)
    return Value(_extents(tensor.dims, name), tensor.data_type)


def _extents(dims: object, name: str) -> tuple[int, ...]:
    shape = tuple(dims)
    if any(extent < 0 for extent in shape):
        raise ExportError(f'tensor "{name}": found shape {list(shape)}, expected extents from 0')
    return shape


def constant_of(tensor: onnx.TensorProto, folder: Path) -> Constant:
    """The tensor's values if they are few; those beside the model are read from `folder`."""
    from onnx import TensorProto, external_data_helper, numpy_helper

    if prod(tensor.dims) > MOST_ELEMENTS or tensor.data_type == STRING:
        return Constant()
    try:
        if tensor.data_location == TensorProto.EXTERNAL:
            external_data_helper.load_external_data_for_tensor(tensor, str(folder))
        return Constant(numpy_helper.to_array(tensor))
    except Exception as error:  # the package raises several kinds, some of C++
        return Constant(missing=one_line(error))  # whoever needs the values says so


def sparse_value(tensor: onnx.SparseTensorProto, name: str) -> Value:
    """The value of the dense tensor that a sparse one stands for: products read it whole."""
    check_element(tensor.values.data_type, name)
    return Value(_extents(tensor.dims, name), tensor.values.data_type)


def sparse_constant(tensor: onnx.SparseTensorProto) -> Constant:
    """The values of a short sparse tensor, zeros included."""
    from onnx import numpy_helper

    if prod(tensor.dims) > MOST_ELEMENTS:
        return Constant()
    try:
        values = numpy_helper.to_array(tensor.values)
        return Constant(_dense(values, numpy_helper.to_array(tensor.indices), tuple(tensor.dims)))
    except (IndexError, KeyError, TypeError, ValueError) as error:
        return Constant(missing=one_line(error))


def _dense(values: np.ndarray, indices: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    import numpy as np

    dense = np.zeros(shape, values.dtype)
    if indices.ndim == 1:
        dense.reshape(-1)[indices] = values
    else:  # [number of values, rank]
        dense[tuple(indices.T)] = values
    return dense


def drop_bulk(graph: onnx.GraphProto) -> None:
    """Forgets the values of large tensors, which nothing here reads, in `graph` and its bodies."""
    tensors = list(graph.initializer)
    for node in graph.node:
        for attribute in node.attribute:
            tensors.append(attribute.t)
            for body in (attribute.g, *attribute.graphs):
                if body.node or body.initializer:
                    drop_bulk(body)
    for tensor in tensors:
        if tensor.ByteSize() > _BULKY_BYTES:
            for name in _DATA_FIELDS:
                tensor.ClearField(name)
