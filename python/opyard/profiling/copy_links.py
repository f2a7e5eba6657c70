"""Latency and bandwidth of the ways between devices, from rows of copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opyard.measuring.link_fit import fit_link
from opyard.profiling.rows import Row

_WAYS = {"copy_h2d": "host to device", "copy_d2h": "device to host"}


def links_of(device: str, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The line through the copies of `device` of each way, with `to`, as a machine file needs it.

    A way whose copies have one size only is left out.
    """
    copies: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        if row["device"] == device and row["op"].startswith("copy_"):
            to = _WAYS.get(row["op"]) or f"to {row['peer']}"
            seconds = float(row["measured_time_us"]) / 1e6
            copies.setdefault(to, []).append((int(row["bytes"]), seconds))
    links = []
    for to, times in copies.items():
        if len({size for size, _ in times}) > 1:
            fit = fit_link(times)
            links.append(
                {
                    "to": to,
                    "latency_s": fit.latency_s,
                    "bandwidth_bytes_per_s": fit.bandwidth_bytes_per_s,
                    "median_error": fit.median_error,
                }
            )
    return links
