"""Checks that PyTorch has the ops of a step on the devices that they are to run on."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from opyard.execution.devices import Device
from opyard.execution.errors import ExecutionError
from opyard.execution.program import Program

_KEYS = {"cpu": "CPU", "cuda": "CUDA"}


def check_supported(program: Program, ranks: Sequence[int], devices: Sequence[Device]) -> None:
    """Raises ExecutionError for the first op that has no kernel on the device of its rank.

    A trace on the CPU has ops that only CPUs have, such as its fused attention, and one on a GPU
    those of GPUs.
    """
    for rank, instruction in zip(ranks, program.instructions, strict=True):
        device = devices[rank]
        if instruction.target is not None and not _has_kernel(instruction.target, device.kind):
            raise ExecutionError(
                f'"{instruction.name}" runs {instruction.target}, which PyTorch does not have on '
                f"{device}: place it elsewhere, or let the function make its model on {device}"
            )


def _has_kernel(target: str, kind: str) -> bool:
    namespace, packet, overload = target.split(".")
    suffix = "" if overload == "default" else f".{overload}"
    name = f"{namespace}::{packet}{suffix}"
    return torch._C._dispatch_has_computed_kernel_for_dispatch_key(name, _KEYS[kind])
