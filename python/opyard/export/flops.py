"""Floating-point operations, memory traffic and shape blocks of ATen ops.

A multiply-add counts 2. Traffic is only stated where it differs from "every
input is read once, every output written once".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log2, prod
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
    """The cost of one run; `bytes_accessed` None means inputs + outputs."""

    flops: int = 0
    bytes_accessed: int | None = None
    gemm: dict[str, int] | None = None
    conv: dict[str, int | str] | None = None
    attention: dict[str, int | str | bool] | None = None


def tensor_bytes(tensor: torch.Tensor) -> int:
    """Size of the tensor's elements, each counted once per index; if sparse, of its values."""
    if tensor.layout == torch.sparse_coo:
        return tensor_bytes(tensor._values())
    return tensor.numel() * tensor.element_size()


def stored_bytes(tensor: torch.Tensor) -> int:
    """Size of the distinct elements: a broadcast dimension (stride 0) counts once."""
    if tensor.layout == torch.sparse_coo:
        return tensor_bytes(tensor)
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


def _addmv(call: Call) -> Work:
    matrix = call.args[1]
    return _gemm(matrix.shape[0], 1, matrix.shape[1], extra_flops=matrix.shape[0])


def _dot(call: Call) -> Work:
    return _gemm(1, 1, call.args[0].numel())


def _trilinear(call: Call) -> Work:
    # Two products and a sum for each combination of the indices of the three factors.
    shape: tuple[int, ...] = ()
    for factor, added in zip(call.args[:3], call.args[3:6], strict=True):
        for axis in sorted(added):
            factor = factor.unsqueeze(axis)
        shape = torch.broadcast_shapes(shape, factor.shape)
    return Work(flops=3 * prod(shape))


def _fourier(call: Call) -> Work:
    # Radix 2: 5 n log2(n) of complex numbers, half of it where one side is real.
    sides = [call.inputs[0], call.outputs[0]]
    whole = max((side for side in sides), key=lambda side: side.numel())
    points = prod(whole.shape[axis] for axis in call.args[1])
    is_complex = all(side.dtype.is_complex for side in sides)
    return Work(flops=round((5 if is_complex else 2.5) * whole.numel() * log2(max(points, 1))))


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
    flops = scores * (2 * query.shape[-1] + 2 * value.shape[-1] + 5)
    return Work(flops=flops, attention=_attention_block("forward", query, key, value))


def _attention_backward(call: Call) -> Work:
    query, key, value = call.args[1:4]
    scores = query.shape[:-1].numel() * key.shape[-2]
    # Scores again, and the gradients of value, scores, query, key; softmax gradient 4.
    flops = scores * (6 * query.shape[-1] + 4 * value.shape[-1] + 4)
    return Work(flops=flops, attention=_attention_block("backward", query, key, value))


def _attention_block(
    passed: str, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor
) -> dict[str, int | str | bool] | None:
    """The shape block; all scores are counted, those that a causal mask hides, too."""
    extents = [*query.shape, key.shape[-2], value.shape[-1]]
    if len(query.shape) != 4 or not all(0 < extent < 2**31 for extent in extents):
        return None
    block: dict[str, int | str | bool] = {"pass": passed} if passed != "forward" else {}
    block |= {"batch": query.shape[0], "heads": query.shape[1], "queries": query.shape[2]}
    block |= {"keys": key.shape[-2], "width": query.shape[-1]}
    return block | ({"value_width": value.shape[-1]} if value.shape[-1] != query.shape[-1] else {})


def _window_size(call: Call, window: list[int]) -> int:
    dimensions = 3 if "3d" in call.name else 2
    return prod(window * dimensions if len(window) == 1 else window)


def _pool(call: Call) -> Work:
    return Work(flops=call.outputs[0].numel() * _window_size(call, call.args[1]))


def _avg_pool_backward(call: Call) -> Work:
    return Work(flops=call.args[0].numel() * _window_size(call, call.args[2]))


def _max_pool_backward(call: Call) -> Work:
    # Reads the gradient and the indices, not the pooled tensor.
    grad, indices = call.args[0], call.args[-1]
    traffic = tensor_bytes(grad) + tensor_bytes(indices) + tensor_bytes(call.outputs[0])
    return Work(flops=grad.numel(), bytes_accessed=traffic)


def _table_read(call: Call) -> Work:
    # Reads as many elements as it writes, and the indices; not the whole table.
    indices = sum(tensor_bytes(tensor) for tensor in call.inputs[1:])
    return Work(bytes_accessed=2 * tensor_bytes(call.outputs[0]) + indices)


def _added(call: Call, source: torch.Tensor, indices: list[torch.Tensor]) -> Work:
    # Reads the source and the elements that it is added to, writes these; copies the rest.
    traffic = tensor_bytes(source) + sum(tensor_bytes(index) for index in indices)
    traffic += 2 * tensor_bytes(call.outputs[0])
    return Work(flops=_count(source), bytes_accessed=traffic)


def _index_add(call: Call) -> Work:
    return _added(call, call.args[3], [call.args[2]])


def _scatter_reduce(call: Call) -> Work:
    return _added(call, call.args[3], [call.args[2]])


def _index_put(call: Call) -> Work:
    indices, values, *is_sum = call.args[1:]
    if is_sum and is_sum[0]:
        return _added(call, values, [index for index in indices if index is not None])
    return Work()


def _embedding_bag(call: Call) -> Work:
    # Adds the rows of a table that the indices name.
    table, indices = call.args[:2]
    elements = indices.numel() * table.shape[1]
    traffic = elements * table.element_size() + tensor_bytes(indices)
    traffic += tensor_bytes(call.outputs[0])
    return Work(flops=elements, bytes_accessed=traffic)


def _embedding_bag_backward(call: Call) -> Work:
    grad, indices = call.args[:2]
    elements = indices.numel() * grad.shape[-1]
    traffic = tensor_bytes(grad) + tensor_bytes(indices)
    traffic += elements * grad.element_size() + tensor_bytes(call.outputs[0])
    return Work(flops=elements, bytes_accessed=traffic)


def _distances(call: Call) -> Work:
    # A difference, its square (or power) and a sum per coordinate of each pair of points.
    width = call.args[0].shape[-1]
    return Work(flops=3 * call.outputs[0].numel() * width)


def _distances_backward(call: Call) -> Work:
    # A difference, two products and a sum per coordinate of each pair of points.
    grad, points = call.args[:2]
    return Work(flops=4 * grad.numel() * points.shape[-1])


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
    "_cdist_backward": _distances_backward,
    "_cdist_forward": _distances,
    "_embedding_bag": _embedding_bag,
    "_embedding_bag_backward": _embedding_bag_backward,
    "_embedding_bag_dense_backward": _embedding_bag_backward,
    "_embedding_bag_forward_only": _embedding_bag,
    "_fft_c2c": _fourier,
    "_fft_c2r": _fourier,
    "_fft_r2c": _fourier,
    "_int_mm": _mm,
    "_scaled_mm": _mm,
    "_sparse_coo_tensor_with_dims_and_tensors": _empty,
    "_trilinear": _trilinear,
    "_unsafe_index": _table_read,
    "_unsafe_index_put": _index_put,
    "addmm": _addmm,
    "addmv": _addmv,
    "avg_pool2d": _pool,
    "avg_pool2d_backward": _avg_pool_backward,
    "avg_pool3d": _pool,
    "avg_pool3d_backward": _avg_pool_backward,
    "baddbmm": _baddbmm,
    "bmm": _bmm,
    "convolution": _convolution,
    "dot": _dot,
    "embedding": _table_read,
    "empty": _empty,
    "empty_like": _empty,
    "empty_strided": _empty,
    "gather": _table_read,
    "index": _table_read,
    "index_add": _index_add,
    "index_put": _index_put,
    "index_select": _table_read,
    "max_pool2d_with_indices": _pool,
    "max_pool2d_with_indices_backward": _max_pool_backward,
    "max_pool3d_with_indices": _pool,
    "max_pool3d_with_indices_backward": _max_pool_backward,
    "mm": _mm,
    "mv": _mv,
    "new_empty": _empty,
    "new_empty_strided": _empty,
    "nll_loss2d_backward": _nll_loss_backward,
    "nll_loss2d_forward": _nll_loss,
    "nll_loss_backward": _nll_loss_backward,
    "nll_loss_forward": _nll_loss,
    "scatter_reduce": _scatter_reduce,
    "vdot": _dot,
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
    return 0 if counted is None else factor * _count(counted)


def _count(tensor: torch.Tensor) -> int:
    """The elements of `tensor`; none if it is of integers, whose arithmetic is not counted."""
    is_counted = tensor.dtype.is_floating_point or tensor.dtype.is_complex
    return tensor.numel() if is_counted else 0


# Arithmetic of complex numbers; what is not here counts twice.
_PRODUCTS = {"mul", "div", "addcmul", "addcdiv", "convolution", "mv", "addmv", "dot", "vdot"}
_PRODUCTS |= {"mm", "addmm", "bmm", "baddbmm"}
_COUNTED_AS_COMPLEX = {"_fft_c2c", "_fft_c2r", "_fft_r2c"}


def _complex_factor(call: Call) -> int:
    """The number of times that real arithmetic counts for the complex arithmetic of `call`."""
    is_complex = any(tensor.dtype.is_complex for tensor in call.inputs)
    if not is_complex or call.name in _COUNTED_AS_COMPLEX:
        return 1
    return 4 if call.name in _PRODUCTS else 2


def work_of(call: Call) -> Work:
    """Returns the cost of `call`, which is neither a view nor a gradient of a convolution."""
    rule = _RULES.get(call.name)
    work = rule(call) if rule else Work(flops=_per_element(call))
    work = replace(work, flops=work.flops * _complex_factor(call))
    if work.bytes_accessed is None and any(
        stored_bytes(tensor) != tensor_bytes(tensor) for tensor in call.inputs
    ):
        traffic = sum(stored_bytes(tensor) for tensor in call.inputs)
        traffic += sum(tensor_bytes(out) for out in call.outputs if out is not None)
        return replace(work, bytes_accessed=traffic)
    return work
