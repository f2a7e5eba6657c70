"""Products, attention and norms of ONNX do the same work under all their names."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import pytest
from onnx import TensorProto, helper
from onnx_models import number, save_model, typed, zeros
from opyard.export.errors import ExportError
from opyard.export.graph_writer import Op
from opyard.export.onnx_convolutions import CONVOLUTION_RULES
from opyard.export.onnx_file import read_onnx
from opyard.export.onnx_ops import ONNX_OPS
from opyard.export.onnx_products import PRODUCT_RULES

U8, I8, I32, F32, F16 = (
    TensorProto.UINT8,
    TensorProto.INT8,
    TensorProto.INT32,
    TensorProto.FLOAT,
    TensorProto.FLOAT16,
)
_ELEMENTS = {"u8": U8, "i8": I8}
_FLOPS = 2 * 64 * 256 * 128  # of [64, 128] by [128, 256]


def one(
    folder: Path,
    op: str,
    inputs: list[Any],
    domain: str = "",
    results: str = "y",
    **attributes: Any,
) -> Op:
    """The op of one node; its inputs are tuples (inputs of the model), weights, or None."""
    names, given, weights = [], [], []
    for position, value in enumerate(inputs):
        name = f"i{position}"
        if value is None:
            names.append("")
            continue
        names.append(name)
        if isinstance(value, tuple):
            shape = [extent for extent in value if isinstance(extent, int)]
            element = _ELEMENTS[value[0]] if len(shape) < len(value) else F32
            given.append(typed(name, element, *shape))
        else:
            value.name = name
            weights.append(value)
    node = helper.make_node(op, names, results.split(), "node", domain=domain, **attributes)
    graph, summary = read_onnx(save_model(folder, [node], given, weights, results))
    assert not summary.unknown_ops
    assert not summary.unknown_shapes
    return next(op for op in graph.ops if op.name == "node")


def scale() -> Any:
    return number("", 0.1)


def zero(element: int) -> Any:
    return number("", 0, element)


def test_quantised_products_compute_with_their_factors(tmp_path: Path) -> None:
    left, right = ("u8", 64, 128), zeros("", U8, 128, 256)
    op = one(
        tmp_path,
        "QLinearMatMul",
        [left, scale(), zero(U8), right, scale(), zero(U8), scale(), zero(U8)],
    )
    assert (op.type, op.dtype, op.flops) == ("MatMul", "u8", _FLOPS)
    assert op.gemm == {"m": 64, "n": 256, "k": 128}
    assert op.outputs[0].bytes == 64 * 256
    op = one(tmp_path, "MatMulInteger", [("i8", 64, 128), zeros("", I8, 128, 256)])
    assert (op.dtype, op.flops, op.outputs[0].dtype) == ("i8", _FLOPS, "i32")
    assert op.outputs[0].bytes == 4 * 64 * 256


@pytest.mark.parametrize(
    ("op", "inputs", "dtype", "extra"),
    [
        ("FusedMatMul", [(64, 128), zeros("", F32, 256, 128)], "f32", 0),
        ("FusedGemm", [(64, 128), zeros("", F32, 256, 128), zeros("", F32, 256)], "f32", 64 * 256),
        ("DynamicQuantizeMatMul", [(64, 128), zeros("", I8, 128, 256), scale()], "i8", 0),
        (
            "MatMulIntegerToFloat",
            [("u8", 64, 128), zeros("", I8, 128, 256), scale(), scale()],
            "u8",
            0,
        ),
        (
            "QGemm",
            [("u8", 64, 128), scale(), zero(U8), zeros("", I8, 128, 256), scale(), zero(I8)],
            "u8",
            0,
        ),
        (
            "MatMulNBits",
            [(64, 128), zeros("", U8, 256, 4, 16), zeros("", F32, 256 * 4)],
            "f32",
            0,
        ),
    ],
)
def test_products_of_onnx_runtime(
    op: str, inputs: list[Any], dtype: str, extra: int, tmp_path: Path
) -> None:
    attributes: dict[str, Any] = {"transB": 1} if op.startswith("Fused") else {}
    if op == "MatMulNBits":
        attributes = {"K": 128, "N": 256, "bits": 4, "block_size": 32}
    made = one(tmp_path, op, inputs, "com.microsoft", **attributes)
    assert (made.type, made.flops, made.dtype) == ("MatMul", _FLOPS + extra, dtype)
    assert made.gemm == {"m": 64, "n": 256, "k": 128}
    assert made.outputs[0].shape == (64, 256)


def test_quantised_convolutions(tmp_path: Path) -> None:
    image, filters = ("u8", 2, 3, 8, 8), zeros("", I8, 4, 3, 3, 3)
    # 2·4·8·8 results of 27 multiply-adds each.
    flops = 2 * (2 * 4 * 8 * 8) * 27
    op = one(
        tmp_path,
        "QLinearConv",
        [image, scale(), zero(U8), filters, scale(), zero(I8), scale(), zero(U8)],
        pads=[1, 1, 1, 1],
    )
    assert (op.type, op.dtype, op.flops) == ("Conv2D", "u8", flops)
    assert op.conv is not None
    assert (op.conv["k"], op.conv["pad_h"]) == (4, 1)
    op = one(tmp_path, "ConvInteger", [image, zeros("", U8, 4, 3, 3, 3)], pads=[1, 1, 1, 1])
    assert (op.dtype, op.flops, op.outputs[0].dtype) == ("u8", flops, "i32")
    op = one(
        tmp_path,
        "FusedConv",
        [(2, 3, 8, 8), zeros("", F32, 4, 3, 3, 3)],
        "com.microsoft",
        pads=[1, 1, 1, 1],
        activation="Relu",
    )
    assert (op.flops, op.outputs[0].shape) == (flops, (2, 4, 8, 8))


@pytest.mark.parametrize(
    ("equation", "shapes", "shape", "flops"),
    [
        # Two inputs: 2 per combination of all indices.
        ("bhqd,bhkd->bhqk", [(2, 8, 128, 64), (2, 8, 128, 64)], (2, 8, 128, 128), 33_554_432),
        ("ij,jk", [(3, 5), (5, 7)], (3, 7), 2 * 3 * 5 * 7),  # ik, as no result is named
        ("...ij,...jk->...ik", [(4, 1, 3, 5), (2, 5, 7)], (4, 2, 3, 7), 2 * 4 * 2 * 3 * 5 * 7),
        ("ij,ij->", [(3, 5), (3, 5)], (), 2 * 3 * 5),
        ("i,j->ij", [(3,), (5,)], (3, 5), 2 * 3 * 5),
        ("iij,jk->ik", [(3, 3, 5), (5, 7)], (3, 7), 2 * 3 * 5 * 7),  # of the diagonal
        # One input: moved without arithmetic, or summed.
        ("ij->ji", [(3, 5)], (5, 3), 0),
        ("ii->i", [(3, 3)], (3,), 0),
        ("ij->i", [(3, 5)], (3,), 3 * 5),
        # Three: the small product of the two vectors' side first, 2·(100·2·3) + 2·(100·3·50).
        ("ij,jk,kl->il", [(100, 2), (2, 3), (3, 50)], (100, 50), 2 * 2 * 3 * 50 + 2 * 100 * 2 * 50),
    ],
)
def test_einsum_counts_its_contractions(
    equation: str, shapes: list[tuple[int, ...]], shape: tuple[int, ...], flops: int, tmp_path: Path
) -> None:
    op = one(tmp_path, "Einsum", shapes, equation=equation)
    assert (op.outputs[0].shape, op.flops) == (shape, flops)
    assert op.fusion_class == "heavy"


def test_einsum_is_a_batch_of_products_where_it_is_one(tmp_path: Path) -> None:
    op = one(tmp_path, "Einsum", [(2, 8, 128, 64), (2, 8, 32, 64)], equation="bhqd,bhkd->bhqk")
    assert op.gemm == {"m": 128, "n": 32, "k": 64, "batch": 16}
    assert one(tmp_path, "Einsum", [(3, 5), (3, 5)], equation="ij,ij->ij").gemm == {
        "m": 1,
        "n": 1,
        "k": 1,
        "batch": 15,
    }


def test_an_equation_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="node"):
        one(tmp_path, "Einsum", [(3, 5), (4, 7)], equation="ij,jk->ik")


def scores(batch: int, heads: int, queries: int, keys: int, width: int, values: int = 0) -> int:
    """Two products, and a softmax of 5 per score."""
    return batch * heads * queries * keys * (2 * width + 2 * (values or width) + 5)


def test_attention_is_two_products_and_a_softmax(tmp_path: Path) -> None:
    heads = (2, 8, 128, 64)
    op = one(tmp_path, "Attention", [heads, heads, heads])
    assert op.flops == 2 * 33_554_432 + 5 * 2 * 8 * 128 * 128 == scores(2, 8, 128, 128, 64)
    # Fewer heads of keys and values than of queries, and 16 steps from before.
    past = (2, 2, 16, 64)
    op = one(
        tmp_path,
        "Attention",
        [(2, 8, 4, 64), (2, 2, 4, 64), (2, 2, 4, 64), None, past, past],
        results="y k v",
    )
    assert op.flops == scores(2, 8, 4, 20, 64)
    assert [out.shape for out in op.outputs] == [(2, 8, 4, 64), (2, 2, 20, 64), (2, 2, 20, 64)]
    # Heads side by side in one axis.
    op = one(
        tmp_path,
        "Attention",
        [(2, 128, 512), (2, 128, 128), (2, 128, 64)],
        q_num_heads=8,
        kv_num_heads=2,
    )
    assert op.flops == scores(2, 8, 128, 128, 64, 32)
    assert op.outputs[0].shape == (2, 128, 8 * 32)


def test_attention_of_onnx_runtime(tmp_path: Path) -> None:
    x = (2, 16, 64)
    op = one(
        tmp_path,
        "Attention",
        [x, zeros("", F32, 64, 192), zeros("", F32, 192)],
        "com.microsoft",
        num_heads=4,
    )
    projection = 2 * 32 * 64 * 192 + 32 * 192
    assert op.flops == projection + scores(2, 4, 16, 16, 16)
    assert op.outputs[0].shape == x
    op = one(
        tmp_path, "MultiHeadAttention", [x, (2, 24, 64), (2, 24, 32)], "com.microsoft", num_heads=4
    )
    assert (op.flops, op.outputs[0].shape) == (scores(2, 4, 16, 24, 16, 8), (2, 16, 32))
    past = (2, 2, 10, 16)
    op = one(
        tmp_path,
        "GroupQueryAttention",
        [(2, 1, 64), (2, 1, 32), (2, 1, 32), past, past],
        "com.microsoft",
        "y k v",
        num_heads=4,
        kv_num_heads=2,
    )
    assert op.flops == scores(2, 4, 1, 11, 16)
    assert op.outputs[1].shape == (2, 2, 11, 16)
    quantized = [("u8", 2, 16, 64), zeros("", I8, 64, 192), zeros("", F32, 192), scale(), scale()]
    op = one(tmp_path, "QAttention", quantized, "com.microsoft", num_heads=4)
    assert (op.flops, op.dtype) == (projection + scores(2, 4, 16, 16, 16), "i8")
    assert op.outputs[0].dtype == "f32"


@pytest.mark.parametrize(
    ("op", "inputs", "domain", "kind", "per_element"),
    [
        ("RMSNormalization", [(64, 128), zeros("", F32, 128)], "", "RMSNorm", 4),
        ("LayerNormalization", [(64, 128), zeros("", F32, 128)], "", "LayerNorm", 8),
        ("SimplifiedLayerNormalization", [(64, 128), zeros("", F32, 128)], "", "RMSNorm", 4),
        ("FastGelu", [(64, 128)], "com.microsoft", "Gelu", 8),
        ("QuickGelu", [(64, 128)], "com.microsoft", "Gelu", 6),
        ("BiasGelu", [(64, 128), zeros("", F32, 128)], "com.microsoft", "Gelu", 9),
        (
            "SkipLayerNormalization",
            [(2, 64, 128), (2, 64, 128), zeros("", F32, 128)],
            "com.microsoft",
            "LayerNorm",
            9,
        ),
        (
            "SkipSimplifiedLayerNormalization",
            [(2, 64, 128), (2, 64, 128), zeros("", F32, 128)],
            "com.microsoft",
            "RMSNorm",
            5,
        ),
        ("RotaryEmbedding", [(2, 4, 8, 16), (2, 8, 8), (2, 8, 8)], "", "RotaryEmbedding", 3),
        (
            "QLinearAdd",
            [("u8", 4, 8), scale(), zero(U8), ("u8", 8), scale(), zero(U8), scale(), zero(U8)],
            "com.microsoft",
            "Add",
            1,
        ),
    ],
)
def test_norms_and_activations(
    op: str, inputs: list[Any], domain: str, kind: str, per_element: int, tmp_path: Path
) -> None:
    made = one(tmp_path, op, inputs, domain)
    shape = tuple(extent for extent in inputs[0] if isinstance(extent, int))
    assert (made.type, made.flops) == (kind, per_element * prod(shape))
    assert made.outputs[0].shape == shape


def test_a_group_norm_has_the_shape_of_its_input(tmp_path: Path) -> None:
    op = one(
        tmp_path,
        "GroupNormalization",
        [(2, 4, 6), zeros("", F32, 4), zeros("", F32, 4)],
        num_groups=2,
    )
    assert (op.outputs[0].shape, op.flops) == ((2, 4, 6), 8 * 48)


def test_embeddings_are_read_row_by_row(tmp_path: Path) -> None:
    ids = typed("ids", I32, 2, 16)
    tables = [zeros("w", F32, 1000, 64), zeros("p", F32, 512, 64)]
    norms = [zeros("g", F32, 64), zeros("b", F32, 64)]
    node = helper.make_node(
        "EmbedLayerNormalization",
        ["ids", "", "w", "p", "", "g", "b"],
        ["y"],
        "embed",
        domain="com.microsoft",
    )
    graph, _ = read_onnx(save_model(tmp_path, [node], [ids], [*tables, *norms]))
    op = graph.ops[-1]
    rows = 4 * 2 * 16 * 64
    assert op.outputs[0].shape == (2, 16, 64)
    # The rows of both tables, the result, the ids, scale and offset.
    assert op.bytes_accessed == 3 * rows + 4 * 32 + 2 * 4 * 64
    assert sum(op.param_bytes for op in graph.ops) == 4 * (1512 * 64 + 2 * 64)


def test_transposed_and_deformable_convolutions(tmp_path: Path) -> None:
    op = one(tmp_path, "ConvTranspose", [(2, 6, 5, 5), zeros("", F32, 6, 4, 3, 3)], strides=[2, 2])
    # Each of 2·6·5·5 elements meets 4·3·3 weights.
    assert (op.flops, op.outputs[0].shape) == (2 * 300 * 36, (2, 4, 11, 11))
    op = one(
        tmp_path,
        "DeformConv",
        [(1, 3, 6, 6), zeros("", F32, 4, 3, 3, 3), (1, 18, 4, 4)],
        kernel_shape=[3, 3],
    )
    assert (op.flops, op.outputs[0].shape) == (2 * (4 * 4 * 4) * 27, (1, 4, 4, 4))


def test_transforms_and_samplings(tmp_path: Path) -> None:
    # A bilinear sample has four neighbours, a multiply-add each.
    op = one(tmp_path, "GridSample", [(1, 3, 8, 8), (1, 4, 4, 2)])
    assert (op.flops, op.outputs[0].shape) == (2 * 4 * 3 * 16, (1, 3, 4, 4))
    # 5 n log2 n of complex numbers, half of it of real ones.
    op = one(tmp_path, "DFT", [(2, 16, 2)])
    assert op.flops == 2 * 5 * 16 * 4
    step = number("", 8, TensorProto.INT64)
    length = number("", 16, TensorProto.INT64)
    op = one(tmp_path, "STFT", [(1, 64, 1), step, None, length], onesided=1)
    # (64 - 16) / 8 + 1 frames.
    assert (op.outputs[0].shape, op.flops) == ((1, 7, 9, 2), 7 * 160)


def test_a_gru_counts_both_directions(tmp_path: Path) -> None:
    op = one(
        tmp_path,
        "GRU",
        [(10, 2, 8), zeros("", F32, 2, 48, 8), zeros("", F32, 2, 48, 16)],
        hidden_size=16,
        direction="bidirectional",
    )
    assert op.flops == 2 * 10 * 2 * 2 * 48 * 24


def test_half_precision_stays(tmp_path: Path) -> None:
    node = helper.make_node("MatMul", ["x", "w"], ["y"], "node")
    path = save_model(tmp_path, [node], [typed("x", F16, 4, 8)], [zeros("w", F16, 8, 2)])
    op = read_onnx(path)[0].ops[-1]
    assert (op.dtype, op.outputs[0].bytes) == ("f16", 16)


def test_every_heavy_op_has_a_rule() -> None:
    rules = {**PRODUCT_RULES, **CONVOLUTION_RULES}
    assert [op for op, row in ONNX_OPS.items() if row.fusion_class == "heavy"] == [
        op for op in ONNX_OPS if op in rules and ONNX_OPS[op].fusion_class == "heavy"
    ]


def test_a_row_goes_through_some_of_the_experts(tmp_path: Path) -> None:
    up, down = zeros("", F32, 8, 64, 32), zeros("", F32, 8, 32, 64)
    op = one(
        tmp_path,
        "MoE",
        [(2, 10, 32), (20, 8), up, None, down],
        "com.microsoft",
        k=2,
    )
    assert (op.flops, op.outputs[0].shape) == (2 * 20 * 2 * (2 * 64 * 32), (2, 10, 32))
