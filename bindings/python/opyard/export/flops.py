"""Floating-point operations, memory traffic and shape blocks of ATen ops.

A multiply-add counts 2. Traffic is only stated where it differs from "every
input is read once, every output written once".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import torch

from opyard.export.convolution import make_convolution
from opyard.export.op_types import OP_TYPES


@dataclass(frozen=True)
class Call:
    """One ATen op with fake tensors for all it reads and makes."""

    name: str  # without overload: "mm"
    tags: tuple[torch.Tag, ...]
    args: tuple[Any, ...]
    inputs: list[torch.Tensor]
    outputs: list[torch.Tensor | None]


@dataclass(frozen=True)
class Work:
    """What one run costs; `bytes_accessed` None means inputs + outputs."""

    flops: int = 0
    bytes_accessed: int | None = None
    gemm: dict[str, int] | None = None
    conv: dict[str, int | str] | None = None


def tensor_bytes(tensor: torch.Tensor) -> int:
    """Size of the tensor's elements, each counted once per index."""
    return tensor.numel() * tensor.element_size()


def stored_bytes(tensor: torch.Tensor) -> int:
    """Size of the distinct elements: a broadcast dimension (stride 0) counts once."""
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    return prod(extent for extent, step in steps if step != 0 or extent == 0) * (
        tensor.element_size()
    )


def _gemm(m: int, n: int, k: int, batch: int = 1, extra_flops: int = 0) -> Work:
    block = {"m": m, "n": n, "k": k} | ({"batch": batch} if batch != 1 else {})
    return Work(flops=2 * batch * m * n * k + extra_flops, gemm=block)


def _mm(call: Call) -> Work:
    left, right = call.args[:2]
    return _gemm(left.shape[0], right.shape[1], left.shape[1])


def _mv(call: Call) -> Work:
    return _gemm(call.args[0].shape[0], 1, call.args[0].shape[1])


def _addmm(call: Call) -> Work:
    left, right = call.args[1:3]
    bias_flops = left.shape[0] * right.shape[1]
    return _gemm(left.shape[0], right.shape[1], left.shape[1], extra_flops=bias_flops)


def _bmm(call: Call) -> Work:
    left, right = call.args[:2]
    return _gemm(left.shape[1], right.shape[2], left.shape[2], batch=left.shape[0])


def _baddbmm(call: Call) -> Work:
    left, right = call.args[1:3]
    m, n, batch = left.shape[1], right.shape[2], left.shape[0]
    return _gemm(m, n, left.shape[2], batch=batch, extra_flops=batch * m * n)


def _convolution(call: Call) -> Work:
    image, weight, bias = call.args[:3]
    result = call.outputs[0]
    convolution = make_convolution(image, weight, result, call.args[3:9])
    bias_flops = 0 if bias is None else result.numel()
    return Work(flops=convolution.flops + bias_flops, conv=convolution.block("forward"))


def _attention(call: Call) -> Work:
    query, key, value = call.args[:3]  # [batch, heads, length, width]
    scores = query.shape[:-1].numel() * key.shape[-2]
    # Two products, and a softmax of 5 per score.
    return Work(flops=scores * (2 * query.shape[-1] + 2 * value.shape[-1] + 5))


def _attention_backward(call: Call) -> Work:
    query, key, value = call.args[1:4]
    scores = query.shape[:-1].numel() * key.shape[-2]
    # Scores again, and the gradients of value, scores, query, key; softmax gradient 4.
    return Work(flops=scores * (6 * query.shape[-1] + 4 * value.shape[-1] + 4))


def _pool(call: Call) -> Work:
    window = call.args[1]
    side = window * 2 if len(window) == 1 else window
    return Work(flops=call.outputs[0].numel() * prod(side))


def _avg_pool_backward(call: Call) -> Work:
    window = call.args[2]
    side = window * 2 if len(window) == 1 else window
    return Work(flops=call.args[0].numel() * prod(side))


def _max_pool_backward(call: Call) -> Work:
    # Reads the gradient and the indices, not the pooled tensor.
    grad, indices = call.args[0], call.args[-1]
    traffic = tensor_bytes(grad) + tensor_bytes(indices) + tensor_bytes(call.outputs[0])
    return Work(flops=grad.numel(), bytes_accessed=traffic)


def _table_read(call: Call) -> Work:
    # Reads as many elements as it writes, and the indices; not the whole table.
    indices = sum(tensor_bytes(tensor) for tensor in call.inputs[1:])
    return Work(bytes_accessed=2 * tensor_bytes(call.outputs[0]) + indices)


def _nll_loss(call: Call) -> Work:
    # One log-probability per row; the sum of the rows.
    log_probability, target = call.args[:2]
    rows = target.numel()
    traffic = rows * log_probability.element_size() + tensor_bytes(target)
    traffic += sum(tensor_bytes(output) for output in call.outputs if output is not None)
    return Work(flops=2 * rows, bytes_accessed=traffic)


def _nll_loss_backward(call: Call) -> Work:
    target, result = call.args[2], call.outputs[0]
    return Work(bytes_accessed=tensor_bytes(target) + tensor_bytes(result))


def _empty(call: Call) -> Work:
    return Work(bytes_accessed=0)  # only memory, nothing is written


_RULES: dict[str, Callable[[Call], Work]] = {
    "_scaled_dot_product_flash_attention_for_cpu": _attention,
    "_scaled_dot_product_flash_attention_for_cpu_backward": _attention_backward,
    "addmm": _addmm,
    "avg_pool2d": _pool,
    "avg_pool2d_backward": _avg_pool_backward,
    "baddbmm": _baddbmm,
    "bmm": _bmm,
    "convolution": _convolution,
    "embedding": _table_read,
    "empty": _empty,
    "empty_like": _empty,
    "empty_strided": _empty,
    "gather": _table_read,
    "index": _table_read,
    "max_pool2d_with_indices": _pool,
    "max_pool2d_with_indices_backward": _max_pool_backward,
    "mm": _mm,
    "mv": _mv,
    "new_empty": _empty,
    "new_empty_strided": _empty,
    "nll_loss_backward": _nll_loss_backward,
    "nll_loss_forward": _nll_loss,
}


def _per_element(call: Call) -> int:
    known = OP_TYPES.get(call.name)
    if known is not None:
        factor, elements = known.flops_per_element, known.elements
    elif torch.Tag.pointwise in call.tags:
        factor, elements = 1, "out"
    elif torch.Tag.reduction in call.tags:
        factor, elements = 1, "in"
    else:
        return 0
    tensors = call.inputs if elements == "in" else call.outputs
    counted = tensors[0] if tensors else None
    if counted is None or not counted.dtype.is_floating_point:
        return 0  # integer arithmetic is not counted
    return factor * counted.numel()


def work_of(call: Call) -> Work:
    """Returns the cost of `call`, which is neither a view nor a gradient of a convolution."""
    rule = _RULES.get(call.name)
    work = rule(call) if rule else Work(flops=_per_element(call))
    if work.bytes_accessed is None and any(
        stored_bytes(tensor) != tensor_bytes(tensor) for tensor in call.inputs
    ):
        traffic = sum(stored_bytes(tensor) for tensor in call.inputs)
        traffic += sum(tensor_bytes(out) for out in call.outputs if out is not None)
        return Work(work.flops, traffic, work.gemm, work.conv)
    return work
