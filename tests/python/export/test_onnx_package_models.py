"""The models that the package onnx ships for tests of runtimes are read, or refused in one line."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from onnx.backend.test.case.node import collect_testcases
from onnx_models import LIGHT
from opyard.export.errors import ExportError
from opyard.export.graph_writer import graph_text
from opyard.export.onnx_file import read_onnx
from opyard.export.onnx_flat import FlatModel
from opyard.export.onnx_model import load_model

# The needs of these models that no file states: the length of a sequence, the sizes of a split, and
# the like. Of the package's 1,884 models of a node about 30 end so.
_REASONS = (
    "a type of sequence",
    "depend on data",
    "depends on data",
    "an optional value that is absent",
    "nothing is computed",
    "expected operator set 9",
    "should be scalars",
)


def test_models_of_several_nodes_are_read() -> None:
    paths = [path for path in LIGHT.parent.rglob("*.onnx") if path.parent != LIGHT]
    assert len(paths) > 100
    refused = [path for path in paths if not is_read(path)]
    assert len(refused) <= 1


def is_read(path: Path) -> bool:
    """True if it is read, with 3 for each extent that it leaves open; false for a reason above."""
    problem = problem_of(path, {})
    names = re.findall(r"--dim (\S+)=N", problem)
    if names:
        problem = problem_of(path, dict.fromkeys(names, 3))
    assert "\n" not in problem
    assert not problem or any(reason in problem for reason in _REASONS), problem
    return not problem


def problem_of(path: Path, dims: dict[str, int]) -> str:
    """Why the model is refused; nothing if it is read."""
    try:
        graph, _ = read_onnx(path, dims)
    except ExportError as error:
        return str(error)
    return "" if graph_text(graph) else "nothing to write"


@pytest.fixture(scope="module")
def node_cases() -> list[object]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [case for case in collect_testcases(None) if case.model is not None]


def test_models_of_one_node_are_read(node_cases: list[object], tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    refused = []
    for case in node_cases:
        path.write_bytes(case.model.SerializeToString())
        if not is_read(path):
            refused.append(case.name)
    assert len(refused) < 0.02 * len(node_cases)


def test_results_have_the_shapes_that_the_package_computes(
    node_cases: list[object], tmp_path: Path
) -> None:
    path = tmp_path / "model.onnx"
    compared = 0
    for case in node_cases:
        path.write_bytes(case.model.SerializeToString())
        try:
            flat = load_model(path)
        except ExportError:
            continue  # the test above knows why
        for name, expected in results(flat, case.data_sets[0][1]):
            shape = flat.value(name).shape
            if shape is not None and is_certain(flat, name):
                assert shape == expected, (case.name, name)
                compared += 1
    assert compared > 2000


def results(flat: FlatModel, arrays: list[object]) -> Iterator[tuple[str, tuple[int, ...]]]:
    if len(flat.outputs) == len(arrays):
        for name, array in zip(flat.outputs, arrays, strict=True):
            if hasattr(array, "shape"):
                yield name, tuple(array.shape)


def is_certain(flat: FlatModel, name: str) -> bool:
    """False where an extent is a bound, or a loop's trips are not known: that is said."""
    return not flat.bounded and not flat.notes and name not in flat.contradicted
