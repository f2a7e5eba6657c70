"""The device file that measured rows give: memory, bandwidth, peaks and launch time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from opyard.execution.errors import ExecutionError
from opyard.profiling.cases import flops_of
from opyard.profiling.rows import SHAPE_COLUMNS, Row, make_case

Values = dict[str, Any]
_TEXTS = ("transA", "transB", "kernels", "peer")
_EXTENTS = [column for column in SHAPE_COLUMNS if column not in _TEXTS]


@dataclass(frozen=True)
class Hardware:
    """Facts of a device that no kernel measures."""

    name: str  # in device files and rows
    kind: str  # "gpu" or "cpu"
    memory_bytes: int
    l2_bytes: int = 0  # of a GPU's second cache level; 0 where it is not known


def device_values(hardware: Hardware, rows: Sequence[Row], provenance: Mapping[str, str]) -> Values:
    """A device file as a dict.

    Args:
        hardware: The device.
        rows: Measured kernels.
        provenance: What each entry says besides its source: date, software.

    Raises:
        ExecutionError: The rows hold no triad, or no matrix product.
    """
    name = hardware.name
    own = [row for row in rows if row["device"] == name]
    bandwidth, triads = _bandwidth(own)
    peaks = {dtype: max(rates) for dtype, rates in _product_rates(own).items()}
    if not peaks:
        raise ExecutionError(f"no matrix product of {name} is measured yet: allow more --minutes")
    launch = [row for row in own if row["op"] == "launch"]
    level = _second_level(own, hardware.l2_bytes, bandwidth)
    launch_keys = {"launch_overhead": f"{_microseconds(launch[-1]):.3g} us"} if launch else {}

    def measured(source: str) -> Values:
        return {"kind": "measured", "source": f"opyard profile measure: {source}", **provenance}

    return {
        "schema_version": 1,
        "name": name,
        "kind": hardware.kind,
        "memory": f"{hardware.memory_bytes} B",
        "memory_bandwidth": f"{bandwidth / 1e9:.4g} GB/s",
        "peak_flops": {dtype: f"{peak / 1e12:.4g} TFLOP/s" for dtype, peak in peaks.items()},
        **launch_keys,
        "cost": {
            "default_sustained_fraction": 1,
            "memory_efficiency": 1,
            **level,
            "classes": {"heavy": {"efficiency": _heavy_efficiency(own, peaks)}},
        },
        "provenance": {
            "memory": measured("what the driver or the operating system reports"),
            "memory_bandwidth": measured(f"the fastest large triad, of {triads}"),
            "peak_flops": measured("the fastest matrix product of each type"),
            **(
                {"launch_overhead": measured("a train of kernels on one element")} if launch else {}
            ),
            **{f"cost.{key}": measured("the fastest triad or copy that fits it") for key in level},
            "cost": measured(
                "the peaks above are reached; heavy ops take the median of large products and "
                "convolutions; opyard profile calibrate fits more"
            ),
        },
    }


def _microseconds(row: Row) -> float:
    return float(row["measured_time_us"])


def _bandwidth(rows: Sequence[Row]) -> tuple[float, int]:
    """Bytes a second of the best triad among those that no cache holds, and their number."""
    triads = [row for row in rows if row["op"] == "triad"]
    if not triads:
        raise ExecutionError("no triad is measured yet: allow more --minutes")
    largest = max(int(row["bytes"]) for row in triads)
    large = [row for row in triads if int(row["bytes"]) >= largest / 4]
    return max(int(row["bytes"]) / _microseconds(row) * 1e6 for row in large), len(large)


def _second_level(rows: Sequence[Row], l2_bytes: int, bandwidth: float) -> Values:
    """The key `l2` where triads and copies that fit it are a fifth faster than memory."""
    launch = [_microseconds(row) for row in rows if row["op"] == "launch"]
    fitting = [
        row
        for row in rows
        if row["op"] in ("triad", "copy") and l2_bytes / 16 <= int(row["bytes"]) <= l2_bytes
    ]
    rates = [
        int(row["bytes"]) / (_microseconds(row) - launch[-1]) * 1e6
        for row in fitting
        if launch and _microseconds(row) > 2 * launch[-1]
    ]
    if not rates or max(rates) < 1.2 * bandwidth:
        return {}
    return {"l2": {"size": f"{l2_bytes} B", "bandwidth": f"{max(rates) / 1e9:.4g} GB/s"}}


def _product_rates(rows: Sequence[Row]) -> dict[str, list[float]]:
    """FLOPs a second of the matrix products, by type."""
    rates: dict[str, list[float]] = {}
    for row in rows:
        if row["op"] == "gemm":
            rates.setdefault(row["dtype"], []).append(_flops(row) / _microseconds(row) * 1e6)
    return rates


def _flops(row: Row) -> float:
    shape = {column: int(row[column]) for column in _EXTENTS if column in row}
    return flops_of(make_case(row["op"], row["dtype"], row.get("pass", ""), **shape))


def _heavy_efficiency(rows: Sequence[Row], peaks: Mapping[str, float]) -> float:
    """The fraction of the peak that the larger half of the products and convolutions reach."""
    heavy = [row for row in rows if row["op"] in ("gemm", "conv2d") and row["dtype"] in peaks]
    heavy.sort(key=_flops)
    reached = [
        _flops(row) / _microseconds(row) * 1e6 / peaks[row["dtype"]]
        for row in heavy[len(heavy) // 2 :]
    ]
    return float(f"{min(1.0, median(reached)):.3g}")


def yaml_text(values: Mapping[str, Any]) -> str:
    """YAML with one key of the file, and of `cost` and `provenance`, per line.

    What stands in a line is JSON, which YAML holds.
    """
    lines = []
    for key, value in values.items():
        if key in ("cost", "provenance") and value:
            lines += [f"{key}:", *(f"  {name}: {json.dumps(part)}" for name, part in value.items())]
        else:
            lines.append(f"{key}: {json.dumps(value)}")
    return "\n".join(lines) + "\n"
