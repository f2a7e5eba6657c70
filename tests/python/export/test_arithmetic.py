"""The floating-point operations of ops beside the usual layers."""

# ruff: noqa: E402
from __future__ import annotations

import json
from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch")

from opyard.export.command import export_torch
from opyard.export.graph_writer import graph_text
from torch import nn
from torch.nn import functional


class Applied(nn.Module):
    """`function` of a parameter of `shape`."""

    def __init__(
        self, function: Callable, shape: tuple, dtype: torch.dtype = torch.float32
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(shape, dtype=dtype))
        self.function = function

    def forward(self) -> torch.Tensor:
        return self.function(self.weight)


INDEX = torch.tensor([0, 1, 1])
# Function of a weight, its shape and type, the type of op, FLOPs of all its forward ops.
CASES = {
    # [2, 3, 5] x [2, 5, 7] and a sum per element.
    "baddbmm": (
        lambda w: torch.baddbmm(torch.ones(2, 3, 7), w, torch.ones(2, 5, 7)),
        (2, 3, 5),
        torch.float32,
        "BatchMatMul",
        2 * 2 * 3 * 5 * 7 + 2 * 3 * 7,
    ),
    "einsum": (
        lambda w: torch.einsum("bi,hio->bho", torch.ones(2, 3), w),
        (5, 3, 7),
        torch.float32,
        "BatchMatMul",
        2 * 2 * 3 * 5 * 7,
    ),
    "dot": (lambda w: torch.dot(w, torch.ones(6)), (6,), torch.float32, "MatMul", 2 * 6),
    # Two products and a sum per sample, output and pair of inputs.
    "bilinear": (
        lambda w: functional.bilinear(torch.ones(2, 3), torch.ones(2, 4), w),
        (5, 3, 4),
        torch.float32,
        "Bilinear",
        3 * 2 * 5 * 3 * 4,
    ),
    # Each of 2·3·4·4 inputs meets 5·2·2 weights.
    "transposed": (
        lambda w: functional.conv_transpose2d(torch.ones(2, 3, 4, 4), w),
        (3, 5, 2, 2),
        torch.float32,
        "Conv2DTranspose",
        2 * 2 * 3 * 4 * 4 * 5 * 2 * 2,
    ),
    # 3·3·3 outputs of two filters of 2·2·2.
    "volume": (
        lambda w: functional.conv3d(torch.ones(1, 1, 4, 4, 4), w),
        (2, 1, 2, 2, 2),
        torch.float32,
        "Conv3D",
        2 * 2 * 27 * 8,
    ),
    # Windows of 2·2·2 at 2·2·2 places.
    "max_pool3d": (
        lambda w: functional.max_pool3d(w, 2),
        (1, 1, 4, 4, 4),
        torch.float32,
        "MaxPool",
        64,
    ),
    # Four neighbours: four products, three sums, at 8·8 places.
    "resize": (
        lambda w: functional.interpolate(w, scale_factor=2, mode="bilinear"),
        (1, 1, 4, 4),
        torch.float32,
        "Resize",
        7 * 64,
    ),
    # Three rows of 4 are added.
    "index_add": (
        lambda w: torch.zeros(2, 4).index_add(0, INDEX, w),
        (3, 4),
        torch.float32,
        "ScatterAdd",
        12,
    ),
    "embedding_bag": (
        lambda w: functional.embedding_bag(INDEX[None], w, mode="sum"),
        (2, 4),
        torch.float32,
        "EmbeddingBag",
        3 * 4,
    ),
    # 2 rows of 8 real points: half of 5 n log2 n.
    "real_fft": (
        lambda w: torch.fft.rfft(w).abs(),
        (2, 8),
        torch.float32,
        "FFT",
        5 * 2 * 8 * 3 // 2,
    ),
    "complex_fft": (
        lambda w: torch.fft.fft(w).abs(),
        (2, 8),
        torch.complex64,
        "FFT",
        5 * 2 * 8 * 3,
    ),
    # A complex multiply-add is four real ones, a complex product counts 4, a sum 2.
    "complex_product": (
        lambda w: (w @ torch.ones(5, 7, dtype=torch.complex64)).abs(),
        (3, 5),
        torch.complex64,
        "MatMul",
        4 * 2 * 3 * 5 * 7,
    ),
    "complex_mul": (lambda w: (w * w).abs(), (3, 5), torch.complex64, "Mul", 4 * 15),
    "complex_add": (
        lambda w: (w + torch.ones_like(w)).abs(),
        (3, 5),
        torch.complex64,
        "Add",
        2 * 15,
    ),
}
_case = ""


def step() -> tuple:
    function, shape, dtype, _, _ = CASES[_case]
    return Applied(function, shape, dtype), (), torch.sum


@pytest.mark.parametrize("case", sorted(CASES))
def test_flops_are_derived_from_the_shapes(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}._case", case)
    graph = json.loads(graph_text(export_torch(f"{__name__}:step")))
    *_, kind, flops = CASES[case]
    ops = [op for op in graph["ops"] if op["type"] == kind and op["phase"] == "forward"]
    assert sum(op.get("flops", 0) for op in ops) == flops


def test_complex_tensors_keep_their_type_and_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}._case", "complex_fft")
    graph = json.loads(graph_text(export_torch(f"{__name__}:step")))
    weight = graph["ops"][0]["outputs"][0]
    assert (weight["dtype"], weight["bytes"]) == ("c64", 2 * 8 * 8)
