"""Tensors as bytes on their way between processes.

The strides of a tensor without gaps survive the way, since ops that make views of it may ask
for them; any other arrives contiguous.
"""

from __future__ import annotations

import torch

from opyard.execution.program import TensorSpec
from opyard.execution.task import dense_bytes


def make_buffer(spec: TensorSpec | None, device: torch.device, pinned: bool) -> torch.Tensor:
    """A buffer of bytes for a tensor of `spec`; for the mere news of an op, of one byte."""
    size = 1 if spec is None else max(1, dense_bytes(spec))
    return torch.empty(size, dtype=torch.uint8, device=device, pin_memory=pinned)


def unpack(buffer: torch.Tensor, spec: TensorSpec) -> torch.Tensor:
    """The tensor whose bytes lie in `buffer`, without copying them."""
    dtype = getattr(torch, spec.dtype)
    flat = buffer[: dense_bytes(spec)].view(dtype)
    return flat.as_strided(spec.shape, _wire_stride(spec))


def pack(tensor: torch.Tensor, spec: TensorSpec) -> torch.Tensor:
    """The bytes of `tensor` in the order that `unpack` expects; a view of it where it can be."""
    stride = _wire_stride(spec)
    if tensor.numel() == 0:
        return torch.zeros(1, dtype=torch.uint8, device=tensor.device)
    if tensor.stride() != stride:
        ordered = torch.empty_strided(spec.shape, stride, dtype=tensor.dtype, device=tensor.device)
        tensor = ordered.copy_(tensor)
    flat = tensor.detach().as_strided((tensor.numel(),), (1,))
    return flat.view(torch.uint8)


def _wire_stride(spec: TensorSpec) -> tuple[int, ...]:
    return spec.stride if _is_dense(spec) else _contiguous_stride(spec.shape)


def _contiguous_stride(shape: tuple[int, ...]) -> tuple[int, ...]:
    stride, strides = 1, []
    for extent in reversed(shape):
        strides.append(stride)
        stride *= max(1, extent)
    return tuple(reversed(strides))


def _is_dense(spec: TensorSpec) -> bool:
    """Whether the tensor's elements fill a block of memory, each element in a place of its own."""
    expected = 1
    for stride, extent in sorted(zip(spec.stride, spec.shape, strict=True)):
        if extent == 1:
            continue
        if stride != expected:
            return False
        expected *= extent
    return True
