"""Tensors of all of ONNX's element types have their size, and constants stay with it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import opyard
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_models import floats, number, save_model, typed, weight, whole, zeros
from opyard import cli
from opyard.export.errors import ExportError
from opyard.export.graph_writer import Op
from opyard.export.onnx_file import Summary, read_onnx
from opyard.export.onnx_types import Value

make = helper.make_node


def read(path: Path) -> tuple[dict[str, Op], Summary]:
    graph, summary = read_onnx(path)
    return {op.name: op for op in graph.ops}, summary


# Name in ONNX, name in a graph, bytes of 1023 elements: packed ones round up.
@pytest.mark.parametrize(
    ("name", "dtype", "size"),
    [
        ("DOUBLE", "f64", 8184),
        ("FLOAT", "f32", 4092),
        ("FLOAT16", "f16", 2046),
        ("BFLOAT16", "bf16", 2046),
        ("FLOAT8E4M3FN", "f8", 1023),
        ("FLOAT8E4M3FNUZ", "f8", 1023),
        ("FLOAT8E5M2", "f8", 1023),
        ("FLOAT8E5M2FNUZ", "f8", 1023),
        ("FLOAT8E8M0", "f8", 1023),
        ("FLOAT6E2M3", "f8", 768),  # 6138 bits
        ("FLOAT4E2M1", "f4", 512),
        ("COMPLEX64", "c64", 8184),
        ("COMPLEX128", "c128", 16368),
        ("INT64", "i64", 8184),
        ("UINT64", "i64", 8184),
        ("INT32", "i32", 4092),
        ("UINT32", "i32", 4092),
        ("INT16", "i16", 2046),
        ("UINT16", "i16", 2046),
        ("INT8", "i8", 1023),
        ("UINT8", "u8", 1023),
        ("INT4", "i4", 512),
        ("UINT4", "i4", 512),
        ("INT2", "i2", 256),
        ("UINT2", "i2", 256),
        ("BOOL", "bool", 1023),
    ],
)
def test_each_type_has_its_size(name: str, dtype: str, size: int, tmp_path: Path) -> None:
    element = TensorProto.DataType.Value(name)
    nodes = [make("Reshape", ["x", "shape"], ["y"], "view")]
    path = save_model(tmp_path, nodes, [typed("x", element, 1023)], [whole("shape", [3, 341])])
    ops, _ = read(path)
    for op in ("x", "view"):
        assert (ops[op].outputs[0].dtype, ops[op].outputs[0].bytes) == (dtype, size)


def test_every_type_of_onnx_is_known() -> None:
    for name, element in TensorProto.DataType.items():
        known = Value((8,), element).bytes
        assert known is None if name == "UNDEFINED" else known is not None, name


def test_an_unknown_type_is_named(tmp_path: Path) -> None:
    nodes = [make("Relu", ["x"], ["y"], "relu")]
    path = save_model(tmp_path, nodes, [typed("x", 99, 4)])
    with pytest.raises(ExportError, match='tensor "x": found element type number 99, expected one'):
        read(path)
    model = onnx.load(str(save_model(tmp_path, nodes, [], [weight("x", 4)])))
    model.graph.initializer[0].data_type = 77
    path.write_bytes(model.SerializeToString())
    with pytest.raises(ExportError, match='tensor "x": found element type number 77'):
        read(path)


def test_texts_have_no_size_and_are_counted(tmp_path: Path) -> None:
    nodes = [make("Identity", ["t"], ["u"]), make("Equal", ["u", "u"], ["y"], "same")]
    ops, summary = read(save_model(tmp_path, nodes, [typed("t", TensorProto.STRING, 8)]))
    assert ops["t"].outputs[0].bytes == 0
    assert "not known: 1 x size of a tensor of texts, taken as nothing (t)" in summary.lines()


def quantised(folder: Path, element: int, *shape: int) -> Path:
    nodes = [
        make("DequantizeLinear", ["wq", "s", "z"], ["w"], "dq", axis=0),
        make("MatMul", ["x", "w"], ["y"], "mm"),
    ]
    weights = [zeros("wq", element, *shape), number("s", 0.1), number("z", 0, element)]
    return save_model(folder, nodes, [floats("x", 64, shape[0])], weights)


@pytest.mark.parametrize(
    ("element", "dtype", "size"),
    [
        (TensorProto.INT8, "i8", 128 * 4096),
        (TensorProto.UINT8, "u8", 128 * 4096),
        (TensorProto.INT4, "i4", 262_144),  # 128·4096 halves of a byte
        (TensorProto.UINT4, "i4", 262_144),
    ],
)
def test_quantised_weights_keep_their_size(
    element: int, dtype: str, size: int, tmp_path: Path
) -> None:
    ops, _ = read(quantised(tmp_path, element, 128, 4096))
    assert (ops["wq"].type, ops["wq"].param_bytes, ops["wq"].dtype) == ("Variable", size, dtype)
    assert [producer.name for producer, _ in ops["dq"].inputs] == ["wq"]
    assert ops["dq"].outputs[0].bytes == 4 * 128 * 4096
    assert ops["mm"].flops == 2 * 64 * 128 * 4096
    assert sum(op.param_bytes for op in ops.values()) == size


def test_a_table_of_whole_numbers_stays(tmp_path: Path) -> None:
    nodes = [make("Gather", ["tab", "ids"], ["y"], "look")]
    table = zeros("tab", TensorProto.INT64, 8192, 64)
    ops, _ = read(save_model(tmp_path, nodes, [typed("ids", TensorProto.INT64, 8)], [table]))
    assert ops["tab"].param_bytes == 4_194_304
    # 8 rows in and out, and the indices; not the table.
    assert ops["look"].bytes_accessed == 2 * 8 * 64 * 8 + 64


def test_constants_of_more_than_a_kibibyte_stay_of_whatever_kind(tmp_path: Path) -> None:
    long = numpy_helper.from_array(np.zeros(1025, np.bool_), "m")
    short = numpy_helper.from_array(np.zeros(1024, np.bool_), "n")
    nodes = [
        make("Constant", [], ["mask"], value=long),
        make("Constant", [], ["few"], value=short),
        make("Where", ["mask", "x", "x"], ["a"], "long"),
        make("Where", ["few", "z", "z"], ["b"], "short"),
    ]
    inputs = [floats("x", 1025), floats("z", 1024)]
    ops, summary = read(save_model(tmp_path, nodes, inputs, results="a b"))
    assert ops["mask"].param_bytes == 1025
    assert "few" not in ops
    assert summary.folded == {"constant of whole numbers": 1}


def test_a_short_vector_of_weights_stays_and_a_single_number_does_not(tmp_path: Path) -> None:
    nodes = [
        make("Add", ["x", "bias"], ["a"], "add"),
        make("Mul", ["a", "factor"], ["y"], "scale"),
        make("Constant", [], ["factor"], value_float=0.5),
    ]
    ops, summary = read(save_model(tmp_path, nodes, [floats("x", 2, 4)], [weight("bias", 4)]))
    assert ops["bias"].param_bytes == 16
    assert [producer.name for producer, _ in ops["scale"].inputs] == ["add"]
    assert summary.folded == {"constant of one number": 1}


@pytest.mark.parametrize(
    ("attributes", "dtype", "size"),
    [
        ({"value_floats": [0.5] * 300}, "f32", 1200),
        ({"value_ints": [1] * 300}, "i64", 2400),
    ],
)
def test_constants_in_attributes(
    attributes: dict[str, list[float]], dtype: str, size: int, tmp_path: Path
) -> None:
    element = TensorProto.FLOAT if dtype == "f32" else TensorProto.INT64
    nodes = [make("Constant", [], ["c"], **attributes), make("Add", ["x", "c"], ["y"], "add")]
    ops, _ = read(save_model(tmp_path, nodes, [typed("x", element, 300)]))
    assert (ops["c"].param_bytes, ops["c"].dtype) == (size, dtype)


def test_sparse_weights_are_read_as_the_dense_ones_that_products_read(tmp_path: Path) -> None:
    values = helper.make_tensor("w", TensorProto.FLOAT, [2], [1.0, 2.0])
    places = helper.make_tensor("places", TensorProto.INT64, [2], [0, 5])
    sparse = helper.make_sparse_tensor(values, places, [128, 256])
    nodes = [
        make("MatMul", ["x", "w"], ["a"], "mm"),
        make("Constant", [], ["c"], sparse_value=sparse),
        make("MatMul", ["x", "c"], ["b"], "other"),
    ]
    path = save_model(tmp_path, nodes, [floats("x", 64, 128)], results="a b")
    model = onnx.load(str(path))
    model.graph.sparse_initializer.append(sparse)
    path.write_bytes(model.SerializeToString())
    ops, _ = read(path)
    for name in ("w", "c"):
        assert ops[name].param_bytes == 4 * 128 * 256
    assert ops["mm"].flops == ops["other"].flops == 2 * 64 * 128 * 256


def test_weights_that_are_inputs_too_are_weights(tmp_path: Path) -> None:
    nodes = [make("MatMul", ["x", "w"], ["y"], "mm")]
    inputs = [floats("x", 64, 128), floats("w", "any", 16)]
    ops, _ = read(save_model(tmp_path, nodes, inputs, [weight("w", 128, 16)]))
    assert (ops["w"].type, ops["mm"].flops) == ("Variable", 2 * 64 * 128 * 16)


def test_packed_types_are_written_and_read_back(tmp_path: Path) -> None:
    out = tmp_path / "step.json"
    model = quantised(tmp_path, TensorProto.INT4, 128, 4096)
    assert cli.main(["graph", "convert", str(model), "--out", str(out)]) == 0
    assert opyard.load_graph(str(out)).num_ops == 4
    record = next(op for op in json.loads(out.read_text())["ops"] if op["name"] == "wq")
    assert (record["param_bytes"], record["outputs"][0]["dtype"]) == (262_144, "i4")
