"""Sizes that stand in an ONNX model, or follow from what stands there, are read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_models import floats, save, save_model, typed, weight, whole
from opyard import cli
from opyard.export.errors import ExportError
from opyard.export.graph_writer import Op
from opyard.export.onnx_file import Summary, read_onnx

make = helper.make_node


def read(path: Path, dims: dict[str, int] | None = None) -> tuple[dict[str, Op], Summary]:
    graph, summary = read_onnx(path, dims)
    return {op.name: op for op in graph.ops}, summary


def constant(name: str, value: Any, kind: type = np.int64) -> onnx.NodeProto:
    return make("Constant", [], [name], value=numpy_helper.from_array(np.array(value, kind), name))


def view_by_arithmetic(batch: int | str) -> list[onnx.NodeProto]:
    """x.view(batch, groups, channels // groups, -1) as PyTorch 1.6 to 1.13 exports it."""
    return [
        make("Shape", ["x"], ["s"]),
        constant("one", 1),
        constant("g", 4),
        make("Gather", ["s", "one"], ["channels"], axis=0),
        make("Cast", ["channels"], ["cf"], to=TensorProto.FLOAT),
        constant("gf", 4.0, np.float32),
        make("Div", ["cf", "gf"], ["q"]),
        make("Floor", ["q"], ["qf"]),
        make("Cast", ["qf"], ["qi"], to=TensorProto.INT64),
        make("Unsqueeze", ["g"], ["ug"], axes=[0]),
        make("Unsqueeze", ["qi"], ["uq"], axes=[0]),
        constant("zero", [0]),
        constant("rest", [-1]),
        make("Concat", ["zero", "ug", "uq", "rest"], ["shape"], axis=0),
        make("Reshape", ["x", "shape"], ["r"], "view"),
        make("MatMul", ["r", "w"], ["y"], "mm"),
    ]


@pytest.mark.parametrize("batch", [16, "n"])
def test_a_shape_that_is_computed_from_shapes_is_known(batch: int | str, tmp_path: Path) -> None:
    nodes = view_by_arithmetic(batch)
    path = save(tmp_path, nodes, [floats("x", batch, 64, 8, 8)], [weight("w", 64, 256)], "y", 9)
    ops, summary = read(path, {} if batch == 16 else {"n": 16})
    # 64 channels in 4 groups of 16, of 64 pixels each.
    assert ops["view"].outputs[0].shape == (16, 4, 16, 64)
    assert ops["mm"].flops == 2 * (16 * 4 * 16) * 64 * 256
    assert list(ops) == ["w", "x", "view", "mm"]  # arithmetic on shapes is no work
    assert not summary.unknown_shapes


def result(tmp_path: Path, nodes: list[onnx.NodeProto], opset: int = 17, **inputs: Any) -> Any:
    given = [floats(name, *shape) for name, shape in inputs.items()]
    ops, summary = read(save(tmp_path, nodes, given, [], "y", opset))
    assert not summary.unknown_shapes
    return list(ops.values())[-1].outputs[0].shape


def test_ops_on_shapes(tmp_path: Path) -> None:
    shape = make("Shape", ["x"], ["s"])
    first = [shape, constant("i", [0]), constant("e", [1]), make("Slice", ["s", "i", "e"], ["n"])]
    # Range, then as many rows.
    nodes = [
        *first,
        make("Squeeze", ["n"], ["count"]),
        constant("a", 0),
        constant("d", 1),
        make("Range", ["a", "count", "d"], ["r"]),
        make("Cast", ["r"], ["f"], to=TensorProto.FLOAT),
        make("Mul", ["f", "z"], ["y"]),
    ]
    assert result(tmp_path, nodes, x=(6, 2), z=(1,)) == (6,)
    # A shape that Where, Equal, ConstantOfShape and Mul make, as of expand(-1, ...).
    nodes = [
        constant("wanted", [-1, 5]),
        constant("minus", -1),
        make(
            "ConstantOfShape",
            ["two"],
            ["ones"],
            value=numpy_helper.from_array(np.array([1], np.int64)),
        ),
        constant("two", [2]),
        make("Mul", ["ones", "minus"], ["negative"]),
        make("Equal", ["wanted", "negative"], ["same"]),
        make("Where", ["same", "ones", "wanted"], ["shape"]),
        make("Expand", ["x", "shape"], ["y"]),
    ]
    assert result(tmp_path, nodes, x=(3, 1)) == (3, 5)
    # Pads that are computed.
    nodes = [
        *first,
        constant("z", [0]),
        make("Concat", ["z", "n", "z", "z"], ["pads"], axis=0),
        make("Pad", ["x", "pads"], ["y"]),
    ]
    assert result(tmp_path, nodes, x=(6, 2)) == (6, 8)


def test_scales_of_images(tmp_path: Path) -> None:
    image = (1, 3, 4, 6)
    scales = constant("s", [1, 1, 2, 2.5], np.float32)
    nodes = [scales, make("Resize", ["x", "", "s"], ["y"])]
    assert result(tmp_path, nodes, x=image) == (1, 3, 8, 15)
    assert result(tmp_path, [scales, make("Upsample", ["x", "s"], ["y"])], 9, x=image) == (
        1,
        3,
        8,
        15,
    )
    nodes = [make("Upsample", ["x"], ["y"], scales=[1.0, 1.0, 2.0, 2.5])]
    assert result(tmp_path, nodes, 7, x=image) == (1, 3, 8, 15)
    # Sizes: those of the image, times 2, as old PyTorch writes interpolate(scale_factor=2).
    nodes = [
        make("Shape", ["x"], ["all"]),
        constant("at", [2, 3]),
        make("Gather", ["all", "at"], ["hw"]),
        make("Cast", ["hw"], ["f"], to=TensorProto.FLOAT),
        constant("two", [2, 2], np.float32),
        make("Mul", ["f", "two"], ["m"]),
        make("Floor", ["m"], ["fl"]),
        make("Cast", ["fl"], ["i"], to=TensorProto.INT64),
        constant("a", [0]),
        constant("b", [2]),
        make("Slice", ["all", "a", "b"], ["nc"]),
        make("Concat", ["nc", "i"], ["sizes"], axis=0),
        make("Resize", ["x", "", "", "sizes"], ["y"], "resize"),
    ]
    assert result(tmp_path, nodes, x=image) == (1, 3, 8, 12)
    ops, _ = read(tmp_path / "model.onnx")
    assert list(ops) == ["x", "resize"]  # what only leads to sizes is no work


@pytest.mark.parametrize(
    ("nodes", "opset", "shape"),
    [
        ([make("Squeeze", ["x"], ["y"], axes=[1])], 11, (2, 6)),
        ([make("Unsqueeze", ["x"], ["y"], axes=[0])], 11, (1, 2, 1, 6)),
        ([make("ReduceSum", ["x"], ["y"], axes=[2], keepdims=0)], 11, (2, 1)),
        ([make("Split", ["x"], ["a", "y"], axis=2, split=[2, 4])], 11, (2, 1, 4)),
        ([make("Slice", ["x"], ["y"], axes=[2], starts=[1], ends=[5])], 9, (2, 1, 4)),
        ([make("Pad", ["x"], ["y"], pads=[0, 0, 1, 0, 0, 2])], 10, (2, 1, 9)),
        ([make("TopK", ["x"], ["y", "i"], k=3)], 9, (2, 1, 3)),
    ],
)
def test_older_operator_sets(
    nodes: list[onnx.NodeProto], opset: int, shape: tuple[int, ...], tmp_path: Path
) -> None:
    ops, _ = read(save(tmp_path, nodes, [floats("x", 2, 1, 6)], [], "y", opset))
    assert [out.shape for op in ops.values() for out in op.outputs if out.keep] == [shape]


# --- External data ---


def external(folder: Path) -> Path:
    shape = numpy_helper.from_array(np.array([32, 256], np.int64), "shape")
    nodes = [
        make("Reshape", ["x", "shape"], ["r"], "view"),
        make("MatMul", ["r", "w"], ["y"], "mm"),
    ]
    model = onnx.load(
        str(save_model(folder, nodes, [floats("x", 64, 128)], [shape, weight("w", 256, 512)]))
    )
    path = folder / "external.onnx"
    onnx.save_model(
        model, str(path), save_as_external_data=True, location="external.data", size_threshold=0
    )
    return path


def test_a_shape_beside_the_model_is_read(tmp_path: Path) -> None:
    ops, summary = read(external(tmp_path))
    assert ops["view"].outputs[0].shape == (32, 256)
    assert ops["mm"].flops == 2 * 32 * 256 * 512
    assert ops["w"].param_bytes == 4 * 256 * 512
    assert not summary.unknown_shapes


def test_a_missing_file_matters_only_where_shapes_follow_from_it(tmp_path: Path) -> None:
    path = external(tmp_path)
    (tmp_path / "external.data").unlink()
    with pytest.raises(ExportError, match=r'"view" \(Reshape\): its shape follows .* "shape"'):
        read(path)
    model = onnx.load(str(path), load_external_data=False)
    del model.graph.initializer[0]
    model.graph.initializer.append(whole("shape", [32, 256]))
    path.write_bytes(model.SerializeToString())
    assert read(path)[0]["mm"].flops == 2 * 32 * 256 * 512


def test_data_outside_of_the_models_folder_are_not_read(tmp_path: Path) -> None:
    path = external(tmp_path)
    inner = tmp_path / "inner"
    inner.mkdir()
    model = onnx.load(str(path), load_external_data=False)
    for tensor in model.graph.initializer:
        for entry in tensor.external_data:
            entry.value = "../external.data" if entry.key == "location" else entry.value
    (inner / "model.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(ExportError, match='"shape", which cannot be read'):
        read(inner / "model.onnx")


def test_large_weights_beside_the_model_are_not_read(tmp_path: Path) -> None:
    nodes = [make("MatMul", ["x", "w"], ["y"], "mm")]
    model = onnx.load(str(save_model(tmp_path, nodes, [floats("x", 4, 65536)], [weight("w", 4)])))
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.dims[:] = [65536, 65536]  # 16 GiB
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="w.data")
    with (tmp_path / "w.data").open("wb") as file:
        os.truncate(file.fileno(), 4 * 65536 * 65536)  # a hole, no disk
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    assert read(path)[0]["w"].param_bytes == 2**34


# --- Dimensions ---


def test_shapes_of_the_file_stay_with_dim(tmp_path: Path) -> None:
    nodes = [
        make("MatMul", ["t", "w"], ["a"], "mm1"),
        make("Fancy", ["a"], ["b"], "fancy", domain="pkg"),
        make("MatMul", ["b", "w2"], ["y"], "mm2"),
    ]
    weights = [weight("w", 128, 256), weight("w2", 128, 64)]
    path = save_model(tmp_path, nodes, [floats("t", "B", 128)], weights)
    model = onnx.load(str(path))
    model.graph.value_info.append(floats("b", "B", 128))  # only the file knows of halves
    path.write_bytes(model.SerializeToString())
    ops, summary = read(path, {"B": 8})
    assert ops["fancy"].outputs[0].shape == (8, 128)
    assert ops["mm2"].flops == 2 * 8 * 128 * 64
    assert not summary.unknown_shapes


def test_names_of_dimensions_may_be_sums(tmp_path: Path) -> None:
    nodes = [make("Concat", ["past", "x"], ["y"], "cat", axis=1)]
    inputs = [floats("past", "batch", "past_length", 4), floats("x", "batch", "new", 4)]
    inputs.append(floats("mask", "batch", "past_length + new"))
    path = save_model(tmp_path, nodes, inputs)
    with pytest.raises(
        ExportError, match="give them by --dim batch=N --dim past_length=N --dim new"
    ):
        read(path)
    ops, _ = read(path, {"batch": 2, "past_length": 7, "new": 1})
    assert ops["cat"].outputs[0].shape == (2, 8, 4)
    assert ops["mask"].outputs[0].shape == (2, 8)


def test_dimensions_without_name_are_asked_for_and_given(tmp_path: Path) -> None:
    nodes = [make("Relu", ["t"], ["y"], "relu")]
    path = save_model(tmp_path, nodes, [floats("t", None, 128)])
    with pytest.raises(ExportError, match="give them by --dim t:0=N"):
        read(path)
    assert read(path, {"t:0": 3})[0]["relu"].outputs[0].shape == (3, 128)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("n=0", r'found "n=0", expected NAME=N with a whole N from 1'),
        ("n=-1", r'found "n=-1", expected NAME=N'),
        ("n=1.5", r'found "n=1.5", expected NAME=N'),
        ("n=", r'found "n=", expected NAME=N'),
        ("batch=4", r"has no dimension batch; it has n"),
    ],
)
def test_wrong_dimensions_are_refused(
    word: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = save_model(tmp_path, [make("Relu", ["t"], ["y"])], [floats("t", "n", 128)])
    out = str(tmp_path / "step.json")
    assert cli.main(["graph", "convert", str(path), "--dim", word, "--out", out]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_an_input_without_shape_is_refused(tmp_path: Path) -> None:
    unknown = helper.make_tensor_value_info("x", TensorProto.FLOAT, None)
    path = save_model(tmp_path, [make("Relu", ["x"], ["y"])], [unknown])
    with pytest.raises(ExportError, match='input "x": found no shape'):
        read(path)


def test_extents_that_depend_on_data_are_taken_at_their_largest(tmp_path: Path) -> None:
    nodes = [
        make("NonZero", ["x"], ["places"], "find"),
        make("Transpose", ["places"], ["y"], "turn"),
    ]
    ops, summary = read(save_model(tmp_path, nodes, [floats("x", 4, 6)]))
    assert ops["turn"].outputs[0].shape == (24, 2)
    assert any("depends on data, taken at its largest (places)" in s for s in summary.lines())


def test_what_the_file_states_wrongly_is_named(tmp_path: Path) -> None:
    path = save_model(tmp_path, [make("Relu", ["x"], ["y"], "relu")], [floats("x", 4, 6)])
    model = onnx.load(str(path))
    model.graph.output[0].CopyFrom(floats("y", 4, 7))
    path.write_bytes(model.SerializeToString())
    ops, summary = read(path)
    assert ops["relu"].outputs[0].shape == (4, 6)
    assert any("the file states otherwise" in line for line in summary.lines())


def test_whole_numbers_of_an_input_are_not_read_as_shapes(tmp_path: Path) -> None:
    nodes = [make("Reshape", ["x", "shape"], ["y"], "view")]
    inputs = [floats("x", 4, 6), typed("shape", TensorProto.INT64, 2)]
    ops, summary = read(save_model(tmp_path, nodes, inputs))
    assert summary.unknown_shapes == ["y"]
    assert [producer.name for producer, _ in ops["view"].inputs] == ["x", "shape"]
