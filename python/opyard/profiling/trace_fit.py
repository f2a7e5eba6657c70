"""A device file out of another one and of what a trace says: launch, bandwidth, heavy ops."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from opyard.profiling.cases import flops_of
from opyard.profiling.trace_ops import STREAMING_OPS
from opyard.profiling.trace_rows import TraceReading

Values = dict[str, Any]
_UNITS = {
    **{"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0},
    **{"kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15, "B": 1.0},
    **{"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40, "PiB": 2.0**50},
    **{"b": 1 / 8, "kb": 1e3 / 8, "Mb": 1e6 / 8, "Gb": 1e9 / 8, "Tb": 1e12 / 8},
    **{"FLOP": 1.0, "kFLOP": 1e3, "MFLOP": 1e6, "GFLOP": 1e9, "TFLOP": 1e12},
    **{"PFLOP": 1e15, "EFLOP": 1e18},
}
_SMALL_BYTES = 2**16  # of an elementwise op of the CPU that takes no longer than its dispatch
_LARGE_BYTES = 2**23  # of one whose time is that of its memory traffic
_LARGE_FLOPS = 1e8  # of a product or convolution that fills a device


@dataclass(frozen=True)
class Finding:
    """A figure that the trace gives."""

    key: str  # dotted, of the device file
    value: float  # in base units
    source: str
    median_error: float | None = None


def base_units(text: str) -> float:
    """The number that a text with its unit stands for: "900 GB/s", "5 us"."""
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/ ")
    unit = text[len(number) :].strip().removesuffix("/s")
    return float(number) * _UNITS[unit]


def fit_device(
    base: Mapping[str, Any], name: str, reading: TraceReading, provenance: Mapping[str, str]
) -> tuple[Values, list[Finding]]:
    """The device file of `base` with what the trace says instead, and what that is.

    Args:
        base: A device file's values.
        name: Of the new device.
        reading: Of the trace.
        provenance: What each entry says besides its source: date, software.
    """
    values = copy.deepcopy(dict(base)) | {"name": name}
    values["cost"] = dict(values.get("cost") or {})
    values["provenance"] = dict(values.get("provenance") or {})
    found = [*_launch(reading), *_peaks(values, reading)]
    _apply(values, found, provenance)
    later = _bandwidth(values, reading)
    if "gemm" not in values["cost"]:
        later += _heavy(values, reading)
    _apply(values, later, provenance)
    return values, found + later


def _apply(values: Values, findings: list[Finding], provenance: Mapping[str, str]) -> None:
    for finding in findings:
        _set(values, finding)
        error = {} if finding.median_error is None else {"median_error": finding.median_error}
        values["provenance"][finding.key] = {
            "kind": "fitted" if error else "measured",
            "source": f"opyard profile fit-trace: {finding.source}",
            **error,
            **provenance,
        }


def _set(values: Values, finding: Finding) -> None:
    *parents, last = finding.key.split(".")
    place = values
    for parent in parents:
        place = place.setdefault(parent, {})
    if finding.key.startswith("cost."):
        place[last] = float(f"{finding.value:.3g}")
    elif finding.key == "launch_overhead":
        place[last] = f"{finding.value * 1e6:.3g} us"
    elif finding.key == "memory_bandwidth":
        place[last] = f"{finding.value / 1e9:.4g} GB/s"
    else:
        place[last] = f"{finding.value / 1e12:.4g} TFLOP/s"


def _launch(reading: TraceReading) -> list[Finding]:
    if reading.has_kernels:
        if reading.launch_s is None:
            return []
        return [Finding("launch_overhead", reading.launch_s, reading.launch_source)]
    small = [
        median(seconds)
        for case, seconds in reading.seconds.items()
        if case.op in STREAMING_OPS and case["bytes"] <= _SMALL_BYTES
    ]
    if not small:
        return []
    source = f"the median of {len(small)} elementwise ops of up to 64 KiB"
    return [Finding("launch_overhead", median(small), source)]


def _peaks(values: Values, reading: TraceReading) -> list[Finding]:
    """Peaks that the trace exceeds; those of other types stay."""
    best: dict[str, float] = {}
    for case, seconds in reading.seconds.items():
        if case.op == "gemm":
            rate = flops_of(case) / median(seconds)
            best[case.dtype] = max(rate, best.get(case.dtype, 0.0))
    known = {dtype: base_units(text) for dtype, text in values["peak_flops"].items()}
    return [
        Finding(
            f"peak_flops.{dtype}", rate, "the fastest matrix product, beyond the peak of before"
        )
        for dtype, rate in best.items()
        if dtype in known and rate > known[dtype]
    ]


def _bandwidth(values: Values, reading: TraceReading) -> list[Finding]:
    """The fraction of the bandwidth that large elementwise ops reach."""
    launch_s = base_units(values.get("launch_overhead", "0 us"))
    level = base_units(values["cost"].get("l2", {}).get("size", "0 B"))
    large = {
        case: median(seconds)
        for case, seconds in reading.seconds.items()
        if case.op in STREAMING_OPS and case["bytes"] >= max(_LARGE_BYTES, 2 * level)
    }
    rates = [case["bytes"] / (s - launch_s) for case, s in large.items() if s > launch_s]
    if not rates:
        return []
    rate = median(rates)
    error = median(
        abs(launch_s + case["bytes"] / rate - seconds) / seconds for case, seconds in large.items()
    )
    source = f"the median of {len(rates)} elementwise ops of 8 MiB and more"
    peak = base_units(values["memory_bandwidth"])
    found = []
    if rate > peak:
        found.append(Finding("memory_bandwidth", rate, source))
    share = min(1.0, rate / peak)
    return [*found, Finding("cost.memory_efficiency", share, source, float(f"{error:.3g}"))]


def _heavy(values: Values, reading: TraceReading) -> list[Finding]:
    """The fraction of the peak that products and convolutions reach, by their median."""
    peaks = {dtype: base_units(text) for dtype, text in values["peak_flops"].items()}
    reached = [
        flops_of(case) / median(seconds) / peaks[case.dtype]
        for case, seconds in reading.seconds.items()
        if case.dtype in peaks and flops_of(case) >= _LARGE_FLOPS
    ]
    if not reached:
        return []
    share = min(1.0, median(reached))
    source = f"the median of {len(reached)} products and convolutions of 0.1 GFLOP and more"
    return [Finding("cost.classes.heavy.efficiency", share, source)]
