"""A device as a whole: how fast it multiplies and copies, and what it takes to start an op."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

from opyard.execution.hardware import memory_bytes, synchronize

_PEAK_EXTENT = {"cpu": 1024, "cuda": 8192}
_COPY_BYTES = {"cpu": 64 * 2**20, "cuda": 2**30}
_REPETITIONS = 7
_TINY_CALLS = 200


def measure_facts(device: torch.device, dtypes: list[str]) -> dict[str, Any]:
    """Figures of the device of this process.

    Args:
        device: The device.
        dtypes: Element types whose matrix products are timed, as PyTorch calls them.

    Returns:
        `peak_flops` by element type, `memory_bandwidth_bytes_per_s`, `memory_bytes`,
        `launch_s` (one small op after another, on the device) and `dispatch_s` (the host's
        part of it).
    """
    with torch.no_grad():
        launch, dispatch = tiny_ops(device)
        return {
            "peak_flops": {dtype: _peak(device, dtype) for dtype in dtypes},
            "memory_bandwidth_bytes_per_s": _bandwidth(device),
            "memory_bytes": memory_bytes(device),
            "launch_s": launch,
            "dispatch_s": dispatch,
        }


def _fastest(device: torch.device, call: Callable[[], object]) -> float:
    """The least time of a call, in seconds, after a first one."""
    times = []
    for _ in range(_REPETITIONS + 1):
        synchronize(device)
        start = time.perf_counter()
        call()
        synchronize(device)
        times.append(time.perf_counter() - start)
    return min(times[1:])


def _peak(device: torch.device, dtype: str) -> float:
    extent = _PEAK_EXTENT[device.type]
    a = torch.ones(extent, extent, dtype=getattr(torch, dtype), device=device)
    out = torch.empty_like(a)
    return 2 * extent**3 / _fastest(device, lambda: torch.mm(a, a, out=out))


def _bandwidth(device: torch.device) -> float:
    """Bytes read and written per second by a copy that no cache holds."""
    size = _COPY_BYTES[device.type]
    source = torch.zeros(size, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    return 2 * size / _fastest(device, lambda: target.copy_(source))


def tiny_ops(device: torch.device) -> tuple[float, float]:
    """Seconds per op on the device and on the host, of a train of ops on one element."""
    tensor = torch.zeros(1, device=device)
    add = torch.ops.aten.add.Tensor
    for _ in range(_TINY_CALLS):
        add(tensor, tensor)
    synchronize(device)
    if device.type == "cuda":
        return _tiny_kernels(tensor)
    start = time.perf_counter()
    for _ in range(_TINY_CALLS):
        add(tensor, tensor)
    seconds = (time.perf_counter() - start) / _TINY_CALLS
    return seconds, seconds


def _tiny_kernels(tensor: torch.Tensor) -> tuple[float, float]:
    """Kernels that wait behind a long one, so that the host is ahead of the device."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(50_000_000)  # cycles: tens of milliseconds
    begin.record()
    start = time.perf_counter()
    for _ in range(_TINY_CALLS):
        torch.ops.aten.add.Tensor(tensor, tensor)
    dispatch = (time.perf_counter() - start) / _TINY_CALLS
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / 1e3 / _TINY_CALLS, dispatch
