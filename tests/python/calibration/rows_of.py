"""CSV files of kernels whose times the cost model itself gives."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
from opyard.calibration.devices import graph_of, predict
from opyard.calibration.rows import Row

DEVICE: dict[str, Any] = {
    "schema_version": 1,
    "name": "mine",
    "kind": "gpu",
    "memory": "16 GiB",
    "memory_bandwidth": "900 GB/s",
    "peak_flops": {"f32": "15 TFLOP/s", "f16": "120 TFLOP/s"},
    "launch_overhead": "4 us",
    "cost": {"compute_units": 80, "l2": {"size": "6 MiB", "bandwidth": "2000 GB/s"}},
}


def gemm_cells(count: int, dtype: str = "fp16", seed: int = 0) -> list[dict[str, str]]:
    """`count` products of random extents."""
    generator = np.random.default_rng(seed)
    extents = np.exp(generator.uniform(np.log(16), np.log(8192), (count, 3))).astype(int)
    return [
        {"device": "mine", "dtype": dtype, "op": "gemm", "M": str(m), "N": str(n), "K": str(k)}
        for m, n, k in extents
    ]


def with_times(cells: list[dict[str, str]], device: dict[str, Any]) -> list[Row]:
    """Rows that take what the cost model says on `device`."""
    rows = [Row(cell, f"rows.csv:{index + 2}", 1.0) for index, cell in enumerate(cells)]
    seconds = predict(graph_of(rows), device)
    return [
        Row({**row.cells, "measured_time_us": f"{value * 1e6:.9g}"}, row.place, float(value))
        for row, value in zip(rows, seconds, strict=True)
    ]


def write_csv(path: Path, rows: list[Row]) -> Path:
    """The rows as a file; returns its path."""
    names = list(dict.fromkeys(name for row in rows for name in row.cells))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(row.cells for row in rows)
    return path
