"""The ops that torch.utils.checkpoint recomputes are in the graph, as often as at run time."""

# ruff: noqa: E402
from __future__ import annotations

import json
from collections import Counter
from functools import partial
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from graph_checker import find_problems
from opyard.export.command import export_torch
from opyard.export.errors import ExportError
from opyard.export.graph_writer import graph_text
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    checkpoint_sequential,
    create_selective_checkpoint_contexts,
    set_checkpoint_early_stop,
)

Graph = dict[str, Any]


def save_products(context: object, op: object, *args: object, **kwargs: object) -> object:
    is_product = op == torch.ops.aten.addmm.default
    return CheckpointPolicy.MUST_SAVE if is_product else CheckpointPolicy.PREFER_RECOMPUTE


def run_nested(block: nn.Sequential, x: torch.Tensor) -> torch.Tensor:
    return block[2](checkpoint(block[:2], x, use_reentrant=False)).relu()


def run_whole(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    with set_checkpoint_early_stop(False):
        return checkpoint(block, x, use_reentrant=False)


RUNS = {
    "plain": lambda block, x: block(x),
    "early_stop": partial(checkpoint, use_reentrant=False),
    "reentrant": partial(checkpoint, use_reentrant=True),
    "whole": run_whole,
    "selective": partial(
        checkpoint,
        use_reentrant=False,
        context_fn=partial(create_selective_checkpoint_contexts, save_products),
    ),
    "nested": lambda block, x: checkpoint(partial(run_nested, block), x, use_reentrant=False),
}


class Blocks(nn.Module):
    """Four times 16 → 32 → 16, each block under the checkpoint `run`."""

    def __init__(self, run: str) -> None:
        super().__init__()
        self.run = run
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16)) for _ in range(4)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = RUNS[self.run](block, x)
        return x.mean()


class Sequential(Blocks):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint_sequential(self.blocks, 2, x, use_reentrant=False).mean()


class Normalised(nn.Module):
    """A block with running statistics and random numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3)
        self.block = nn.Sequential(
            nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.Dropout(0.1)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.block, self.stem(x), use_reentrant=False).mean()


def make_step(run: str) -> tuple:
    if run == "normalised":
        return Normalised(), torch.randn(2, 3, 8, 8)
    if run == "sequential":
        return Sequential("plain"), torch.randn(4, 16)
    # A reentrant checkpoint gives gradients only if an input wants one.
    return Blocks(run), torch.randn(4, 16).requires_grad_(run == "reentrant")


def plain() -> tuple:
    return make_step("plain")


def early_stop() -> tuple:
    return make_step("early_stop")


def reentrant() -> tuple:
    return make_step("reentrant")


def whole() -> tuple:
    return make_step("whole")


def selective() -> tuple:
    return make_step("selective")


def nested() -> tuple:
    return make_step("nested")


def sequential() -> tuple:
    return make_step("sequential")


def normalised() -> tuple:
    return make_step("normalised")


def starved() -> tuple:
    return Blocks("reentrant"), torch.randn(4, 16)


class OpCounter(TorchDispatchMode):
    """Counts the ATen ops that really run."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.counts[func._overloadpacket.__name__] += 1
        return func(*args, **(kwargs or {}))


def export(function: str) -> Graph:
    graph = json.loads(graph_text(export_torch(f"{__name__}:{function}")))
    assert find_problems(graph) == []
    return graph


def types_of(graph: Graph) -> Counter[str]:
    return Counter(op["type"] for op in graph["ops"])


@pytest.mark.parametrize("run", [*RUNS, "sequential", "normalised"])
def test_ops_are_as_many_as_at_run_time(run: str) -> None:
    module, x = make_step(run)
    with OpCounter() as counter:
        module(x).backward()
    counts, found = counter.counts, types_of(export(run))
    assert found["MatMul"] == counts["addmm"] + counts["mm"]
    assert found["Gelu"] == counts["gelu"]
    assert found["Conv2D"] == counts["convolution"]
    assert found["BatchNorm"] == counts["native_batch_norm"]


def test_a_checkpointed_block_costs_its_first_product_and_activation_again() -> None:
    def flops(graph: Graph) -> int:
        return sum(op.get("flops", 0) for op in graph["ops"])

    # Per block 4 · 16 · 32 multiply-adds, 4 · 32 for the bias and 8 for each of 4 · 32 GELUs; no
    # gradient needs the result of the second product.
    again = 4 * (2 * 4 * 16 * 32 + 4 * 32 + 8 * 4 * 32)
    assert flops(export("early_stop")) - flops(export("plain")) == again


def test_recomputation_waits_for_the_gradient_of_what_follows() -> None:
    graph = export("early_stop")
    names = [op["name"] for op in graph["ops"]]
    again = next(op for op in graph["ops"] if op["name"] == "blocks.2.0/MatMul_1")
    assert again["phase"] == "backward"
    assert [names[i] for i, _ in again["inputs"]] == [
        "blocks.2.0.bias",
        "blocks.1.2/MatMul",  # what the checkpoint was given
        "blocks.2.0/Transpose",
    ]
    # The gradient of block 2's result, made by the backward pass of block 3's first layer.
    assert [names[i] for i in again["control_inputs"]] == ["blocks.3.0/MatMul_2"]


def test_what_is_recomputed_is_free_after_the_forward_pass() -> None:
    graph = export("early_stop")
    activation = next(op for op in graph["ops"] if op["name"] == "blocks.0.1/Gelu")
    index = graph["ops"].index(activation)
    readers = [op for op in graph["ops"] if [index, 0] in op.get("inputs", [])]
    assert {op["phase"] for op in readers} == {"forward"}


def test_a_policy_keeps_what_it_saves() -> None:
    found = types_of(export("selective"))
    assert found["MatMul"] == types_of(export("plain"))["MatMul"]
    assert found["Gelu"] == 2 * 4


def test_running_statistics_stay_in_place() -> None:
    graph = export("normalised")
    first, again = (op for op in graph["ops"] if op["type"] == "BatchNorm")
    assert first["phase"] == "forward"
    assert [out.get("alias") for out in first["outputs"]].count(None) == len(first["outputs"]) - 2
    assert again["phase"] == "backward"


def test_a_reentrant_checkpoint_without_a_wanted_input_is_explained() -> None:
    with pytest.raises(ExportError, match="use_reentrant=False"):
        export_torch(f"{__name__}:starved")
