"""A problem as programs see it: plain lists and dicts (`folder/initial_program.py` says which)."""

from __future__ import annotations

from typing import Any

import numpy as np

from opyard import _core


def graph_view(problem: _core.Problem) -> dict[str, Any]:
    """The ops of a problem: seconds per device, edges, groups, where each may be."""
    graph = problem.graph
    arrays = problem.arrays()
    numbers = graph.arrays()
    allowed = [np.flatnonzero(row).tolist() for row in arrays["allowed"]]
    groups = list(problem.group_of_op)
    ops = graph.ops
    sources, targets = numbers["edge_index"].tolist()
    tensor_bytes = numbers["tensor_bytes"].tolist()
    return {
        "num_ops": graph.num_ops,
        "names": [op.name for op in ops],
        "types": [op.type for op in ops],
        "phases": [op.phase for op in ops],
        "seconds": arrays["op_seconds"].tolist(),
        "edges": [
            {"src": src, "dst": dst, "bytes": tensor_bytes[tensor], "tensor": tensor}
            for src, dst, tensor in zip(
                sources, targets, numbers["edge_tensor"].tolist(), strict=True
            )
        ],
        "control_edges": numbers["control_edge_index"].T.tolist(),
        "topological_order": numbers["topological_order"].tolist(),
        "parameter_bytes": numbers["op_param_bytes"].tolist(),
        "groups": groups,
        "allowed": [allowed[group] for group in groups],
    }


def machine_view(problem: _core.Problem) -> dict[str, Any]:
    """The devices of a problem, and what transfers between them take."""
    arrays = problem.arrays()
    machine = problem.hardware
    with np.errstate(divide="ignore"):
        per_byte = 1.0 / arrays["bandwidth_bytes_per_s"]  # 0 within a device
    return {
        "num_devices": machine.num_devices,
        "names": list(machine.device_names),
        "memory_bytes": arrays["capacity_bytes"].tolist(),
        "latency": arrays["latency_s"].tolist(),
        "seconds_per_byte": per_byte.tolist(),
        "links": [
            {
                "name": link["name"],
                "between": list(link["between"]),
                "bytes_per_second": float(link["bandwidth"].split()[0]),
            }
            for link in machine.to_dict().get("links", [])
        ],
    }
