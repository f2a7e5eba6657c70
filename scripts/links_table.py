#!/usr/bin/env python3
"""Prints how far the links of the shipped machines are from measured copies, as a table.

    python scripts/links_table.py link_p2p.csv

The file has rows of system, link, metric, bytes, value, unit and measured_time_us; it is not
shipped. A row of the table is one kind of link: the median and the largest error of latency +
bytes / bandwidth over copies of at least 1 MB, and the two figures that fit these best by least
squares of relative errors. Rates without a size count as copies of 256 MiB.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import statistics
from pathlib import Path

import opyard

_LEAST_BYTES = 1e6
_BYTES_OF_RATES = float(2**28)
_ONE_WAY = ("-Latency", "Uni-")  # not both directions at once

Copies = list[tuple[float, float]]  # bytes and microseconds


@dataclasses.dataclass(frozen=True)
class Link:
    """A kind of measured copies, and the links of a shipped machine that such a copy passes."""

    name: str
    system: str  # the system of a row begins so
    link: str
    metrics: tuple[str, ...]  # one of them stands in the metric of a row
    machine: str
    path: tuple[str, ...]


_DGX1 = "DGX-1 (8x P100"
_SAME = ("pcie0.gpu0", "pcie0.0", "pcie0.1", "pcie0.gpu2")
_CROSS = ("pcie0.gpu0", "pcie0.0", "qpi", "pcie1.0", "pcie1.gpu5")
LINKS = (
    Link("NVLink 1", _DGX1, "nvlink1", _ONE_WAY, "p100x8-sxm2-dgx1", ("nvlink.gpu0-gpu1",)),
    Link("NVLink 1", "4x P100", "nvlink1_x1", ("Uni",), "p100x8-sxm2-dgx1", ("nvlink.gpu0-gpu1",)),
    Link("NVLink 2, two bricks", "4x V100", "nvlink2_x2", ("Uni",), "v100x8-dgx1", ("nv03",)),
    Link(
        "NVLink 4",
        "h100_dgx",
        "intra-node",
        ("send",),
        "h100x8-hgx",
        ("nvlink.gpu0", "nvlink.gpu1"),
    ),
    Link(
        "PCIe 3, host to device",
        "V100-PCIe",
        "pcie3_x16",
        ("H2D",),
        "v100x1-pcie",
        ("pcie0",),
    ),
    Link("PCIe 3, one socket", _DGX1, "pcie3_same_socket", _ONE_WAY, "p100x8-sxm2-dgx1", _SAME),
    Link("PCIe 3, two sockets", _DGX1, "pcie3_cross_socket", _ONE_WAY, "p100x8-sxm2-dgx1", _CROSS),
    Link(
        "PCIe 3, pairs without NVLink",
        _DGX1,
        "no_direct_nvlink(pcie fallback)",
        _ONE_WAY,
        "p100x8-sxm2-dgx1",
        _CROSS,
    ),
    Link(
        "EDR InfiniBand",
        "EDR 4x IB",
        "ib_edr",
        ("ib_write",),
        "v100x8-edr",
        ("ib.node0.pcie", "ib.node1.pcie"),
    ),
)


def copy_of(row: dict[str, str]) -> tuple[float, float] | None:
    """The copy of a row; nothing for small ones, and for rows that say no time."""
    if not row["bytes"] and row["unit"] == "GB/s" and float(row["value"]) > 0:
        return _BYTES_OF_RATES, _BYTES_OF_RATES / float(row["value"]) / 1e3
    time = row["measured_time_us"] or (row["value"] if row["unit"] == "us" else "")
    if not time or float(row["bytes"]) < _LEAST_BYTES:
        return None
    return float(row["bytes"]), float(time)


def copies_of(link: Link, rows: list[dict[str, str]]) -> Copies:
    """The measured copies of one kind."""
    matching = (
        copy_of(row)
        for row in rows
        if row["system"].startswith(link.system)
        and row["link"] == link.link
        and any(metric in row["metric"] for metric in link.metrics)
    )
    return [copy for copy in matching if copy is not None]


def figures_of(link: Link) -> tuple[float, float]:
    """The latency [us] and the bandwidth [bytes/us] of the machine's links together."""
    links = {each["name"]: each for each in opyard.load_machine(link.machine).to_dict()["links"]}
    path = [links[name] for name in link.path]
    latency = sum(float(each["latency"].split()[0]) for each in path)
    return latency * 1e6, min(float(each["bandwidth"].split()[0]) for each in path) / 1e6


def fitted(copies: Copies) -> tuple[float, float] | None:
    """The same by least squares of relative errors; nothing for copies of one size."""
    weights = [1 / time**2 for _, time in copies]
    mean_bytes = sum(w * size for w, (size, _) in zip(weights, copies, strict=True)) / sum(weights)
    mean_time = sum(w * time for w, (_, time) in zip(weights, copies, strict=True)) / sum(weights)
    offsets = [size - mean_bytes for size, _ in copies]
    spread = sum(w * offset**2 for w, offset in zip(weights, offsets, strict=True))
    if spread == 0:
        return None
    rise = sum(
        w * offset * (time - mean_time)
        for w, offset, (_, time) in zip(weights, offsets, copies, strict=True)
    )
    slope = rise / spread
    return mean_time - slope * mean_bytes, 1 / slope


def errors_of(figures: tuple[float, float], copies: Copies) -> list[float]:
    """Relative errors without sign."""
    latency, rate = figures
    return [abs(latency + size / rate - time) / time for size, time in copies]


def line_of(link: Link, copies: Copies) -> str:
    """A row of the table."""
    figures = figures_of(link)
    errors = errors_of(figures, copies)
    best = fitted(copies)
    cells = [
        link.name,
        f"`{link.machine}`",
        str(len(copies)),
        f"{figures[0]:.2f} us, {figures[1] / 1e3:.2f} GB/s",
        f"{statistics.median(errors) * 100:.1f} %",
        f"{max(errors) * 100:.1f} %",
        f"{best[0]:.1f} us, {best[1] / 1e3:.2f} GB/s" if best else "–",
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, help="link_p2p.csv")
    with parser.parse_args().file.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    print("| link | machine | copies | figures | median error | largest | best fit |")
    print("|---|---|---:|---|---:|---:|---|")
    for link in LINKS:
        if copies := copies_of(link, rows):
            print(line_of(link, copies))


if __name__ == "__main__":
    main()
