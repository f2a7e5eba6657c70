"""Sequences of tensors in ONNX models are followed element by element."""

from __future__ import annotations

from pathlib import Path

import pytest
from onnx import TensorProto, helper
from onnx_models import body, floats, number, save_model, typed, weight
from opyard.export.errors import ExportError
from opyard.export.graph_writer import Op
from opyard.export.onnx_file import read_onnx

make = helper.make_node


def read(path: Path) -> dict[str, Op]:
    return {op.name: op for op in read_onnx(path)[0].ops}


def test_sequences_are_followed_element_by_element(tmp_path: Path) -> None:
    nodes = [
        make("SplitToSequence", ["x", "size"], ["s"], "split", axis=1),
        make("SequenceAt", ["s", "second"], ["a"], "at"),
        make("SequenceInsert", ["s", "a"], ["more"], "insert"),
        make("SequenceLength", ["more"], ["count"]),
        make("ConcatFromSequence", ["more"], ["y"], "cat", axis=1),
    ]
    numbers = [number("size", 3, TensorProto.INT64), number("second", 1, TensorProto.INT64)]
    ops = read(save_model(tmp_path, nodes, [floats("x", 64, 8)], numbers))
    assert [out.shape for out in ops["split"].outputs] == [(64, 3), (64, 3), (64, 2)]
    assert [port for _, port in ops["cat"].inputs] == [0, 1, 2, 1]
    assert ops["cat"].outputs[0].shape == (64, 11)
    assert list(ops) == ["x", "split", "cat"]


def test_a_sequence_is_mapped_element_by_element(tmp_path: Path) -> None:
    inner = body([make("MatMul", ["e", "w"], ["p"], "mm")], [floats("e", 2, 8)], "p")
    nodes = [
        make("SequenceConstruct", ["x", "x", "z"], ["s"]),
        make("SequenceMap", ["s"], ["m"], "map", body=inner),
        make("ConcatFromSequence", ["m"], ["y"], "cat", axis=0, new_axis=1),
    ]
    inputs = [floats("x", 2, 8), floats("z", 2, 8)]
    ops = read(save_model(tmp_path, nodes, inputs, [weight("w", 8, 4)]))
    assert sum(op.flops for op in ops.values()) == 3 * 2 * 2 * 8 * 4
    assert ops["cat"].outputs[0].shape == (3, 2, 4)
    assert {producer.name for producer, _ in ops["cat"].inputs} == {"map/0/mm", "map/1/mm", "map"}


def test_an_element_that_depends_on_data_is_refused_in_one_line(tmp_path: Path) -> None:
    nodes = [
        make("SequenceConstruct", ["x", "x"], ["s"]),
        make("SequenceAt", ["s", "k"], ["y"], "at"),
    ]
    inputs = [floats("x", 2, 8), typed("k", TensorProto.INT64)]
    with pytest.raises(ExportError, match=r'"at" \(SequenceAt\): which element it means depends'):
        read(save_model(tmp_path, nodes, inputs))
