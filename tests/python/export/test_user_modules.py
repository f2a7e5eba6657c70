"""Modules as people keep them: lazy, compiled, wrapped, in a file; all export as the plain one."""

# ruff: noqa: E402
from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from graph_checker import find_problems
from opyard.export.command import OPTIMIZER_NAMES, export_torch
from opyard.export.errors import ExportError
from opyard.export.graph_writer import graph_text
from opyard.export.training_step import OPTIMIZERS
from torch import nn

Graph = dict[str, Any]


@pytest.fixture(autouse=True)
def own_module_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """The export adds the folder of the user's file, in which there may be a torch.py."""
    monkeypatch.setattr(sys, "path", [*sys.path])


def dense() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))


def plain() -> tuple:
    return dense(), torch.randn(3, 8), torch.sum


def lazy() -> tuple:
    module = nn.Sequential(nn.LazyLinear(16), nn.ReLU(), nn.LazyLinear(4))
    return module, torch.randn(3, 8), torch.sum


def compiled() -> tuple:
    return torch.compile(dense()), torch.randn(3, 8), torch.sum


def compiled_in_place() -> tuple:
    module = dense()
    module[0].compile()
    module[2] = torch.compile(module[2])
    return module, torch.randn(3, 8), torch.compile(torch.sum)


def data_parallel() -> tuple:
    return nn.DataParallel(torch.compile(dense())), torch.randn(3, 8), torch.sum


class Noted(nn.Sequential):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.profiler.record_function("forward"):
            return super().forward(x)


def noted() -> tuple:
    return Noted(*dense()), torch.randn(3, 8), torch.sum


def export(function: str, optimizer: str = "none") -> Graph:
    graph = json.loads(graph_text(export_torch(f"{__name__}:{function}", "g", optimizer)))
    assert find_problems(graph) == []
    return graph


@pytest.mark.parametrize(
    "function", ["lazy", "compiled", "compiled_in_place", "data_parallel", "noted"]
)
def test_a_wrapped_module_exports_as_the_plain_one(function: str) -> None:
    assert export(function)["ops"] == export("plain")["ops"]


def lazy_convolution() -> tuple:
    module = nn.Sequential(
        nn.LazyConv2d(8, 3), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(4)
    )
    return module, torch.randn(2, 3, 8, 8), torch.sum


def test_lazy_parameters_and_buffers_take_their_shapes_from_the_input() -> None:
    sizes = {op["name"]: op["outputs"][0]["shape"] for op in export("lazy_convolution")["ops"]}
    assert sizes["0.weight"] == [8, 3, 3, 3]
    assert sizes["1.running_mean"] == [8]
    assert sizes["3.weight"] == [4, 8 * 6 * 6]


def lazy_that_fails() -> tuple:
    return nn.Sequential(nn.LazyLinear(16), nn.Linear(8, 4)), torch.randn(3, 8), torch.sum


def test_a_lazy_module_that_cannot_run_ends_with_one_line(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(ExportError, match="gives lazy modules their shapes failed: RuntimeError"):
        export_torch(f"{__name__}:lazy_that_fails")
    assert capfd.readouterr().err == ""


FILE = """
import torch
from beside_the_file import WIDTH
def step():
    return torch.nn.Linear(WIDTH, 2), torch.randn(3, WIDTH), torch.sum
"""


@pytest.mark.parametrize("name", ["of_the_user.py", "torch.py"])
@pytest.mark.parametrize("is_absolute", [True, False])
def test_a_function_is_found_in_a_file(
    name: str, is_absolute: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_text(FILE)
    (tmp_path / "beside_the_file.py").write_text("WIDTH = 5\n")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name if is_absolute else name
    graph = json.loads(graph_text(export_torch(f"{path}:step")))
    assert [op["outputs"][0]["shape"] for op in graph["ops"][:2]] == [[2, 5], [2]]


def test_a_file_of_a_package_imports_its_neighbours(tmp_path: Path) -> None:
    package = tmp_path / "package_of_the_user"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "width.py").write_text("WIDTH = 7\n")
    (package / "steps.py").write_text(FILE.replace("beside_the_file", ".width"))
    graph = json.loads(graph_text(export_torch(f"{package}/steps.py:step")))
    assert graph["ops"][0]["outputs"][0]["shape"] == [2, 7]


def test_a_missing_file_is_named() -> None:
    with pytest.raises(ExportError, match=r'no_such\.py" is no file'):
        export_torch("no_such.py:step")


def test_every_optimizer_of_the_command_is_known() -> None:
    assert set(OPTIMIZER_NAMES) == set(OPTIMIZERS)


@pytest.mark.parametrize(
    ("optimizer", "states", "flops"),
    # Operations per element, as training_step.py lists them.
    [("nesterov", 1, 6), ("adagrad", 1, 7), ("rmsprop", 1, 9), ("lion", 1, 10), ("adamw", 2, 13)],
)
def test_an_optimizer_has_its_states_and_arithmetic(
    optimizer: str, states: int, flops: int
) -> None:
    ops = {op["name"]: op for op in export("plain", optimizer)["ops"]}
    size = 4 * 16 * 8
    assert ops["0.weight"]["param_bytes"] == (1 + states) * size
    update = ops["0.weight/ApplyGradient"]
    assert update["flops"] == flops * 16 * 8
    # Reads weight, gradient and states; writes weight and states.
    assert update["bytes_accessed"] == (3 + 2 * states) * size


class Rows(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(100, 16, sparse=True)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return self.table(rows).mean()


def sparse_rows() -> tuple:
    return Rows(), torch.zeros(4, 7, dtype=torch.int64)


def test_a_sparse_gradient_holds_and_updates_the_rows_that_were_read() -> None:
    ops = {op["name"]: op for op in export("sparse_rows", "sgd")["ops"]}
    gradient = ops["table/SparseTensor"]["outputs"][0]
    assert gradient["bytes"] == 28 * 16 * 4  # 28 rows of 16 floats
    update = ops["table.weight/ApplyGradient"]
    assert update["flops"] == 2 * 28 * 16
    assert update["bytes_accessed"] == 3 * gradient["bytes"]


def deep_copied() -> tuple:
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    return nn.TransformerEncoder(layer, 2), torch.randn(3, 5, 8), torch.sum


def test_layers_that_are_deep_copies_have_weights_of_their_own() -> None:
    names = [op["name"] for op in export("deep_copied")["ops"] if op["type"] == "Variable"]
    assert "layers.0.linear1.weight" in names
    assert "layers.1.linear1.weight" in names
