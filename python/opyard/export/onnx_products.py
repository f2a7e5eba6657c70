"""Work of ONNX's matrix products, attention and recurrent layers, under all their names."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from opyard.export.onnx_einsum import einsum_flops, einsum_gemm
from opyard.export.onnx_facts import Facts, Work, gemm_work
from opyard.export.onnx_types import Shape

Rule = Callable[[Facts], Work]
# Max, subtract, exp, sum and divide of each score, as of a softmax that stands alone.
_SOFTMAX_FLOPS = 5


def _gemm(right: int, bias: int) -> Rule:
    """A product of input 0 and the input at `right`; the bias is added where there is one."""

    def rule(facts: Facts) -> Work:
        first, second = facts.shape(0), facts.shape(right)
        m, k = first[::-1] if facts.attributes.get("transA", 0) else first
        n = second[0] if facts.attributes.get("transB", 0) else second[1]
        return gemm_work(m, n, k, extra=m * n if facts.has(bias) else 0)

    return rule


def _matmul(right: int, bias: int | None = None) -> Rule:
    def rule(facts: Facts) -> Work:
        first = _turned(facts.shape(0), facts.attributes.get("transA", 0))
        second = _turned(facts.shape(right), facts.attributes.get("transB", 0))
        has_bias = bias is not None and facts.has(bias)
        return _product(first, second, facts, facts.elements() if has_bias else 0)

    return rule


def _turned(shape: Shape, is_turned: int) -> Shape:
    return (*shape[:-2], shape[-1], shape[-2]) if is_turned and len(shape) > 1 else shape


def _product(left: Shape, right: Shape, facts: Facts, extra: int) -> Work:
    left = (1, *left) if len(left) == 1 else left
    right = (*right, 1) if len(right) == 1 else right
    m, k, n = left[-2], left[-1], right[-1]
    if len(right) == 2:  # a batch of rows against one matrix is one product
        return gemm_work(prod(left[:-1]), n, k, extra=extra)
    return gemm_work(m, n, k, batch=facts.elements() // max(m * n, 1), extra=extra)


def _packed_matmul(facts: Facts) -> Work:
    # Weights in blocks of few bits; the attributes say what matrix they hold.
    rows = prod(facts.shape(0)[:-1])
    has_bias = facts.op == "MatMulNBits" and facts.has(5)
    return gemm_work(
        rows,
        facts.attributes["N"],
        facts.attributes["K"],
        extra=facts.elements() if has_bias else 0,
    )


def _einsum(facts: Facts) -> Work:
    equation = facts.attributes["equation"]
    shapes = [facts.shape(position) for position in range(facts.num_inputs)]
    gemm = einsum_gemm(equation, shapes)
    if gemm is not None and 0 not in gemm.values():
        return gemm_work(gemm["m"], gemm["n"], gemm["k"], gemm.get("batch", 1))
    return Work(einsum_flops(equation, shapes))


def _experts(positions: tuple[int, ...]) -> Rule:
    """Each row goes through `k` experts, whose matrices stand at `positions`."""

    def rule(facts: Facts) -> Work:
        rows = prod(facts.shape(0)[:-1])
        packed = 8 // facts.attributes.get("expert_weight_bits", 8)
        weights = sum(prod(facts.shape(i)[1:]) for i in positions if facts.has(i))
        return Work(2 * rows * facts.attributes.get("k", 1) * packed * weights)

    return rule


# --- Attention: all scores are counted, those that a mask hides too ---


def _scores_work(scores: int, key_width: int, value_width: int, extra: int = 0) -> Work:
    """Two products and a softmax; `scores` over batch and heads."""
    return Work(scores * (2 * key_width + 2 * value_width + _SOFTMAX_FLOPS) + extra)


def _attention(facts: Facts) -> Work:
    query, key, value = (facts.shape(position) for position in range(3))
    heads = facts.attributes.get("q_num_heads", 0)
    kept = facts.attributes.get("kv_num_heads", 0)
    if len(query) == 3:  # [batch, length, heads * width]
        batch, length, total = query[0], query[1], key[1]
        widths = query[2] // heads, value[2] // kept
    else:  # [batch, heads, length, width]
        batch, heads, length, _ = query
        total, widths = key[2], (query[3], value[3])
    total += facts.shape(4)[2] if facts.has(4) else 0
    return _scores_work(batch * heads * length * total, *widths)


def _joint_attention(past: int) -> Rule:
    """Attention with the product that makes query, key and value of one input."""

    def rule(facts: Facts) -> Work:
        batch, length, width = facts.shape(0)
        made = facts.shape(1)[1]
        sizes = facts.attributes.get("qkv_hidden_sizes") or [made // 3] * 3
        heads = facts.attributes["num_heads"]
        total = length + (facts.shape(past)[3] if facts.has(past) else 0)
        rows = batch * length
        projection = 2 * rows * width * made + (rows * made if facts.has(2) else 0)
        scores = batch * heads * length * total
        return _scores_work(scores, sizes[0] // heads, sizes[2] // heads, projection)

    return rule


def _multi_head_attention(past: int) -> Rule:
    def rule(facts: Facts) -> Work:
        return _heads_attention(facts, past)

    return rule


def _heads_attention(facts: Facts, past: int) -> Work:
    heads = facts.attributes["num_heads"]
    query = facts.shape(0)  # [batch, length, width], or packed [batch, length, heads, 3, width]
    batch, length = query[:2]
    width = query[2] // heads if len(query) == 3 else query[4]
    total, value_width = length, width
    if facts.has(1):
        key = facts.shape(1)
        total = key[2] if len(key) == 4 else key[1]
    if facts.has(2):
        value = facts.shape(2)
        value_width = value[3] if len(value) == 4 else value[2] // heads
    total += facts.shape(past)[2] if facts.has(past) else 0
    return _scores_work(batch * heads * length * total, width, value_width)


def _group_query_attention(facts: Facts) -> Work:
    heads, kept = facts.attributes["num_heads"], facts.attributes["kv_num_heads"]
    batch, length, width = facts.shape(0)
    head = width // heads if facts.has(1) else width // (heads + 2 * kept)
    past = facts.shape(3)[2] if facts.has(3) else 0
    total = facts.number(6) or past + length
    return _scores_work(batch * heads * length * total, head, head)


def _linear_attention(facts: Facts) -> Work:
    # Per step the state [keys, values] of each head takes in one outer product, and is read.
    return Work(4 * facts.shape(0)[1] * prod(facts.output(1)))


# --- Recurrent layers ---


def _recurrent(facts: Facts) -> Work:
    # Per step and direction each gate multiplies the input and the state (ONNX: W, R).
    steps, batch = facts.shape(0)[:2]
    return Work(2 * steps * batch * (prod(facts.shape(1)) + prod(facts.shape(2))))


PRODUCT_RULES: dict[str, Rule] = {
    "Attention": _attention,
    "DecoderMaskedMultiHeadAttention": _multi_head_attention(past=5),
    "DynamicQuantizeLSTM": _recurrent,
    "DynamicQuantizeMatMul": _matmul(1, bias=4),
    "Einsum": _einsum,
    "FlexAttention": _attention,
    "FusedGemm": _gemm(1, bias=2),
    "FusedMatMul": _matmul(1),
    "FusedMatMulActivation": _matmul(1),
    "GRU": _recurrent,
    "Gemm": _gemm(1, bias=2),
    "GemmFastGelu": _matmul(1, bias=2),
    "GemmFloat8": _gemm(1, bias=2),
    "GroupQueryAttention": _group_query_attention,
    "LSTM": _recurrent,
    "LinearAttention": _linear_attention,
    "MatMul": _matmul(1),
    "MatMulBnb4": _packed_matmul,
    "MatMulFpQ4": _packed_matmul,
    "MatMulInteger": _matmul(1),
    "MatMulInteger16": _matmul(1),
    "MatMulIntegerToFloat": _matmul(1, bias=6),
    "MatMulNBits": _packed_matmul,
    "MoE": _experts((2, 4, 6)),
    "MultiHeadAttention": _multi_head_attention(past=6),
    "QAttention": _joint_attention(past=8),
    "QGemm": _gemm(3, bias=6),
    "QLinearMatMul": _matmul(3),
    "QMoE": _experts((2, 5, 8)),
    "RNN": _recurrent,
    "TransposeMatMul": _matmul(1),
    "com.microsoft.Attention": _joint_attention(past=4),
}
# The second factor of products that may be a batch.
SECOND_FACTORS = dict.fromkeys(("MatMul", "MatMulInteger", "MatMulInteger16"), 1)
SECOND_FACTORS |= dict.fromkeys(("DynamicQuantizeMatMul", "MatMulIntegerToFloat"), 1)
SECOND_FACTORS |= dict.fromkeys(("FusedMatMul", "FusedMatMulActivation", "TransposeMatMul"), 1)
SECOND_FACTORS |= {"QLinearMatMul": 3}
# Inputs whose type a product computes with, where that is not the type of its result.
PRODUCT_TYPES = {
    "ConvInteger": 0,
    "DynamicQuantizeMatMul": 1,
    "MatMulInteger": 0,
    "MatMulInteger16": 0,
    "MatMulIntegerToFloat": 0,
    "QAttention": 1,
    "QGemm": 0,
    "QLinearConv": 0,
    "QLinearConvTranspose": 0,
    "QLinearMatMul": 0,
    "DynamicQuantizeLSTM": 1,
}
