"""The files that measurements become: `model.graph.json`, `machine.yaml` and its devices."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import torch

from opyard.execution.devices import Device
from opyard.execution.program import Program
from opyard.export.element_types import dtype_name
from opyard.export.graph_writer import Graph, write_graph
from opyard.measuring.link_fit import LinkFit, fit_link
from opyard.measuring.op_seconds import typical_seconds
from opyard.measuring.store import Copy, Store


def write_measured_graph(
    path: Path, graph: Graph, program: Program, store: Store, devices: Sequence[Device]
) -> None:
    """Writes `graph` with the seconds of each op by the names of `devices`.

    What is there before the step begins takes 0 s.
    """
    measured = {device.name: measured_seconds(program, store, device) for device in devices}
    for index, op in enumerate(graph.ops):
        op.seconds = {
            name: float(f"{seconds.get(index, 0.0):.4g}") for name, seconds in measured.items()
        }
    write_graph(graph, path)


def measured_seconds(program: Program, store: Store, device: Device) -> dict[int, float]:
    """The seconds of each op that runs on `device`."""
    parts = store.steps(device.name)
    steps = [seconds for each, _ in parts for seconds in each]
    observed = [step for _, each in parts for step in each]
    return typical_seconds(program, steps, observed)


def write_machine(folder: Path, name: str, store: Store, devices: Sequence[Device]) -> None:
    """Writes `machine.yaml` into `folder`, and a file for each device into `devices/` there."""
    (folder / "devices").mkdir(exist_ok=True)
    for device in devices:
        text = _yaml(_device(device, store, devices))
        (folder / "devices" / f"{device.name}.yaml").write_text(text, encoding="utf-8")
    links = [_link(store, *pair, devices) for pair in combinations(devices, 2)]
    machine = {
        "schema_version": 1,
        "name": name,
        "devices": [{"name": device.name, "type": device.name} for device in devices],
        "links": links,
        "provenance": {
            "links": _measured("times of copies between the processes of two devices"),
        },
    }
    (folder / "machine.yaml").write_text(_yaml(machine), encoding="utf-8")


def _device(device: Device, store: Store, devices: Sequence[Device]) -> dict[str, Any]:
    facts = store.facts(device.name) or {}
    overhead = overhead_of(store, device, devices)
    peaks = {
        dtype_name(getattr(torch, dtype)): f"{flops / 1e12:.4g} TFLOP/s"
        for dtype, flops in facts["peak_flops"].items()
    }
    hardware = facts["hardware"]
    copies = {} if overhead is None else _copy_keys(overhead)
    return {
        "schema_version": 1,
        "name": device.name,
        "kind": "gpu" if device.kind == "cuda" else "cpu",
        "memory": f"{facts['memory_bytes'] // _sharers(device, devices)} B",
        "memory_bandwidth": f"{facts['memory_bandwidth_bytes_per_s'] / 1e9:.4g} GB/s",
        "peak_flops": peaks,
        "launch_overhead": f"{facts['launch_s'] * 1e6:.3g} us",
        **copies,
        "cost": {"default_sustained_fraction": 1.0, "memory_efficiency": 1.0},
        "provenance": {
            "cost": _measured(f"{hardware}: ops that reach the peak and the bandwidth above"),
            "memory": _measured(f"{hardware}: memory over the devices that have it in common"),
            "memory_bandwidth": _measured(f"{hardware}: a copy that no cache holds"),
            "peak_flops": _measured(f"{hardware}: square matrix products"),
            "launch_overhead": _measured(
                f"{hardware}: ops on one element, one after another; the host takes "
                f"{facts['dispatch_s'] * 1e6:.3g} us to issue one"
            ),
            **{
                key: _measured(f"{hardware}: processor time of sending and receiving")
                for key in copies
            },
        },
    }


def _copy_keys(overhead: LinkFit) -> dict[str, str]:
    return {
        "copy_overhead": f"{overhead.latency_s * 1e6:.4g} us",
        "copy_bandwidth": f"{overhead.bandwidth_bytes_per_s / 1e9:.4g} GB/s",
    }


def _sharers(device: Device, devices: Sequence[Device]) -> int:
    """How many of `devices` have the memory of `device` in common: those on the CPU."""
    return sum(other.kind == "cpu" for other in devices) if device.kind == "cpu" else 1


def _measured(source: str) -> dict[str, Any]:
    version = torch.__version__.partition("+")[0]
    return {
        "kind": "measured",
        "source": f"opyard measure; {source}",
        "software": f"torch {version}",
    }


def _link(store: Store, left: Device, right: Device, devices: Sequence[Device]) -> dict[str, Any]:
    fit = link_of(store, left, right, devices)
    return {
        "name": f"{left.name}-{right.name}",
        "between": [left.name, right.name],
        "bandwidth": f"{fit.bandwidth_bytes_per_s / 1e9:.4g} GB/s",
        "latency": f"{fit.latency_s * 1e6:.4g} us",
        "duplex": "full",
    }


def link_of(store: Store, left: Device, right: Device, devices: Sequence[Device]) -> LinkFit:
    """The link of two devices, from copies in both directions, without what their ops pay.

    In a simulated step the sender's ops, the link and the receiver's ops take their parts of a copy
    one after the other.
    """
    overheads = [overhead_of(store, device, devices) for device in (left, right)]
    pairs = ((left.name, right.name), (right.name, left.name))
    copies = [copy for pair in pairs for copy in store.copies(*pair)]
    return fit_link([(copy.bytes, _on_the_way(copy, overheads)) for copy in copies])


def _on_the_way(copy: Copy, overheads: Sequence[LinkFit | None]) -> float:
    """The seconds of a copy that are no processor's, a twentieth of all at least."""
    paid = sum(fit.seconds(copy.bytes) for fit in overheads if fit is not None)
    return max(copy.seconds - paid, copy.seconds / 20)


def overhead_of(store: Store, device: Device, devices: Sequence[Device]) -> LinkFit | None:
    """What a copy takes of the time of a CPU's ops; None on a GPU, whose host moves the bytes."""
    if device.kind != "cpu":
        return None
    others = [other.name for other in devices if other.name != device.name]
    times = [(c.bytes, c.sender_s) for name in others for c in store.copies(device.name, name)]
    times += [(c.bytes, c.receiver_s) for name in others for c in store.copies(name, device.name)]
    return fit_link(times)


def _yaml(values: dict[str, Any]) -> str:
    """YAML with one item of a list per line; what stands in a line is JSON."""
    lines = []
    for key, value in values.items():
        if isinstance(value, list) and value:
            lines += [f"{key}:", *(f"  - {json.dumps(item)}" for item in value)]
        else:
            lines.append(f"{key}: {json.dumps(value)}")
    return "\n".join(lines) + "\n"
