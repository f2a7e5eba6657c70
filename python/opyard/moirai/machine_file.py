"""The machine of a placement problem: devices with capacities, a link for each ordered pair."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt

_HEAD = """\
# The devices of a placement problem of Moirai. Tasks bring their times, so that the figures of the
# type count for nothing. One transfer at a time leaves a device, and one arrives.
"""
_PROVENANCE = {
    "devices": {
        "kind": "assumed",
        "source": "columns m of the file, and room for all tensors, which take no memory there",
    },
    "links": {"kind": "fitted", "source": "columns pc of the file; the scale of bytes is free"},
    "routes": {"kind": "assumed", "source": "a link for each ordered pair of devices"},
    "transfers": {"kind": "assumed", "source": "congestion constraints of Moirai's MILP"},
}


def device_name(device: int) -> str:
    """The name of a device of the file."""
    return f"device{device}"


def pairs_of(num_devices: int) -> list[tuple[int, int]]:
    """The ordered pairs of different devices, source first, row by row."""
    devices = range(num_devices)
    return [(src, dst) for src in devices for dst in devices if src != dst]


def machine_dict(
    name: str, capacities_bytes: list[int], bandwidth_bytes_per_s: npt.NDArray[np.float64]
) -> dict[str, Any]:
    """What `Machine.from_dict` takes; bandwidths are in the order of `pairs_of`."""
    devices = [
        {
            "name": device_name(device),
            "type": "p100-pcie-16gb",
            "memory": f"{memory} B",
            "launch_overhead": "0 us",
        }
        for device, memory in enumerate(capacities_bytes)
    ]
    links, routes = [], []
    pairs = pairs_of(len(capacities_bytes))
    for (src, dst), bandwidth in zip(pairs, bandwidth_bytes_per_s, strict=True):
        between = [device_name(src), device_name(dst)]
        link = f"{between[0]}-to-{between[1]}"
        rate = f"{float(bandwidth)!r} B/s"
        links.append({"name": link, "between": between, "bandwidth": rate, "duplex": "half"})
        routes.append({"from": between[0], "to": between[1], "via": [link]})
    return {
        "schema_version": 1,
        "name": name,
        "devices": devices,
        "links": links,
        "routes": routes,
        "transfers": {
            "sharing": "serial",
            "channels": ["egress", "ingress"],
            "one_per": "destination",
        },
        "provenance": _PROVENANCE,
    }


def machine_text(machine: dict[str, Any]) -> str:
    """The text of a machine file, YAML with one device, link or route per line."""
    lines = []
    for key, value in machine.items():
        if isinstance(value, list) and value:
            lines += [f"{key}:", *(f"  - {json.dumps(item)}" for item in value)]
        else:
            lines.append(f"{key}: {json.dumps(value)}")
    return _HEAD + "\n".join(lines) + "\n"
