"""Devices that steps run on, as the command line names them: "cpu:0" is core 0, "cuda:1" a GPU."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from opyard.execution.errors import ExecutionError

_PATTERN = re.compile(r"(cpu|cuda)(?::(\d+))?")


@dataclass(frozen=True)
class Device:
    """One device: a core, all cores together (a CPU without index), or a GPU."""

    kind: str  # "cpu" or "cuda"
    index: int | None

    @property
    def name(self) -> str:
        """The name in machine files: "cpu0", "cuda0"."""
        return self.kind if self.index is None else f"{self.kind}{self.index}"

    @property
    def torch_name(self) -> str:
        """The name of the device whose memory its tensors lie in."""
        return f"cuda:{self.index}" if self.kind == "cuda" else "cpu"

    def __str__(self) -> str:
        return self.kind if self.index is None else f"{self.kind}:{self.index}"


def parse_devices(text: str) -> list[Device]:
    """The devices of a list such as "cuda:0,cpu:1".

    Raises:
        ExecutionError: a word names no device, one is there twice, or this machine lacks one.
    """
    devices = [_parse(word.strip()) for word in text.split(",")]
    twice = [str(device) for i, device in enumerate(devices) if device in devices[:i]]
    if twice:
        raise ExecutionError(f"--devices: found {twice[0]} twice, expected each device once")
    _check_cores(devices)
    _check_gpus(devices)
    return devices


def _parse(word: str) -> Device:
    match = _PATTERN.fullmatch(word)
    if match is None:
        raise ExecutionError(
            f'--devices: found "{word}", expected cpu:CORE, cpu (all cores) or cuda:INDEX, '
            "for example --devices cpu:0,cpu:1"
        )
    kind, index = match.groups()
    if index is None:
        return Device(kind, 0 if kind == "cuda" else None)
    return Device(kind, int(index))


def _check_cores(devices: list[Device]) -> None:
    cores = sorted(os.sched_getaffinity(0))
    for device in devices:
        if device.kind == "cpu" and device.index is not None and device.index not in cores:
            listed = ", ".join(f"cpu:{core}" for core in cores)
            raise ExecutionError(f"--devices: there is no {device} here, expected some of {listed}")


def _check_gpus(devices: list[Device]) -> None:
    gpus = [device for device in devices if device.kind == "cuda"]
    if not gpus:
        return
    import torch

    count = torch.cuda.device_count()
    for device in gpus:
        if device.index is not None and device.index >= count:
            raise ExecutionError(
                f"--devices: there is no {device} here, PyTorch {torch.__version__} sees "
                f"{count} GPU{'s' * (count != 1)}"
            )
