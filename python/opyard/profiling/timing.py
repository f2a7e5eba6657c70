"""The seconds of a kernel: repeated runs, by the device's own clock where it has one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from opyard.execution.hardware import synchronize

Call = Callable[[], object]
# Cycles of a second of torch.cuda._sleep, about the clock of a GPU.
_CYCLES_PER_S = 1.5e9
_LONGEST_SLEEP_S = 0.05


@dataclass(frozen=True)
class Effort:
    """The number of runs of a kernel, and their longest time together."""

    warmups: int = 10
    runs: int = 30
    least_runs: int = 3
    seconds: float = 2.0  # of one kernel, as far as the least number of runs allows


def time_call(call: Call, device: torch.device, effort: Effort) -> list[float]:
    """The seconds of each of some runs of `call`, after others that warm it up.

    Args:
        call: Runs the kernel, on `device`.
        device: On a GPU, events before and after each run are queued while the GPU waits, so that
            the host is ahead and its time does not count.
        effort: How often, and how long at most.
    """
    seconds = _warm_up(call, device, effort)
    fitting = int(effort.seconds / max(seconds, 1e-9))
    runs = max(effort.least_runs, min(effort.runs, fitting))
    if device.type == "cuda":
        return _time_by_events(call, runs)
    return [_run(call) for _ in range(runs)]


def _run(call: Call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _warm_up(call: Call, device: torch.device, effort: Effort) -> float:
    """Runs `call` a few times; returns the seconds of one run, those of the host included."""
    began = time.perf_counter()
    last = 0.0
    for _ in range(effort.warmups):
        start = time.perf_counter()
        call()
        synchronize(device)
        last = time.perf_counter() - start
        if time.perf_counter() - began > effort.seconds / 4:
            break
    return last


def _time_by_events(call: Call, runs: int) -> list[float]:
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(runs)]
    start = time.perf_counter()
    call()
    issued_s = time.perf_counter() - start
    torch.cuda.synchronize()
    asleep_s = min(2 * runs * (issued_s + 20e-6), _LONGEST_SLEEP_S)
    torch.cuda._sleep(int(asleep_s * _CYCLES_PER_S))
    for before, after in events:
        before.record()
        call()
        after.record()
    torch.cuda.synchronize()
    return [before.elapsed_time(after) / 1e3 for before, after in events]
