"""Name and memory of a device, as the operating system or the driver reports them."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import torch


def hardware_name(device: torch.device) -> str:
    """The model of the GPU or of the processor."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    facts = Path("/proc/cpuinfo")
    for line in facts.read_text(encoding="utf-8").splitlines() if facts.exists() else []:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def memory_bytes(device: torch.device) -> int:
    """The memory of the GPU, or of the whole machine."""
    if device.type == "cuda":
        return torch.cuda.get_device_properties(device).total_memory
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def l2_bytes(device: torch.device) -> int:
    """The second cache level of the GPU; 0 where PyTorch does not say."""
    if device.type != "cuda":
        return 0
    return int(getattr(torch.cuda.get_device_properties(device), "L2_cache_size", 0))


def synchronize(device: torch.device) -> None:
    """Waits until the device has done all that was asked of it."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
