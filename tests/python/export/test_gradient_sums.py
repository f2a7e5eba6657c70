"""The exporter's places for sums of gradients, which autograd adds outside of all modules."""

# ruff: noqa: E402
from __future__ import annotations

import json
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from opyard.export.command import export_torch
from opyard.export.graph_writer import graph_text
from torch import nn


def export(function: str) -> dict[str, dict[str, Any]]:
    graph = json.loads(graph_text(export_torch(f"{__name__}:{function}", None, "none")))
    return {op["name"]: op for op in graph["ops"]}


def sums_in(ops: dict[str, dict[str, Any]]) -> list[str]:
    return [name for name, op in ops.items() if op["type"] == "Add" and op["phase"] == "backward"]


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = nn.Linear(4, 4)
        self.third = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.first(x)
        return (h + self.second(h) + self.third(h)).sum()


def residual() -> tuple:
    return Residual(), torch.ones(2, 4)


def test_a_sum_belongs_to_the_module_that_made_the_tensor() -> None:
    ops = export("residual")
    # h is read three times: two sums.
    assert sums_in(ops) == ["first/Add", "first/Add_1"]
    assert ops["first/Add"]["layer"] == ops["first/MatMul"]["layer"]
    assert ops["first/Add_1"]["layer"] == ops["first/MatMul"]["layer"]


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(10, 5)
        self.mix = nn.Linear(5, 5)
        self.logits = nn.Linear(5, 10, bias=False)
        self.logits.weight = self.table.weight

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        return self.logits(self.mix(self.table(words))).sum()


def tied() -> tuple:
    return Tied(), torch.zeros(3, 4, dtype=torch.int64)


def test_a_sum_for_a_weight_belongs_to_the_module_that_holds_it() -> None:
    ops = export("tied")
    assert sums_in(ops) == ["table/Add"]
    assert ops["table/Add"]["layer"] == ops["table.weight"]["layer"]


class TwoBiases(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one = nn.Parameter(torch.zeros(4))
        self.two = nn.Parameter(torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x + self.one + self.two).sum()


def two_biases() -> tuple:
    return TwoBiases(), torch.ones(2, 4)


def test_one_gradient_may_be_that_of_two_parameters() -> None:
    graph = export_torch(f"{__name__}:two_biases", None, "sgd")
    updates = [op.name for op in graph.ops if op.type == "ApplyGradient"]
    assert updates == ["one/ApplyGradient", "two/ApplyGradient"]
