"""Longest paths to a sink of a placed graph, and transfers that are ordered by them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import opyard


def paths_to_sink(
    problem: opyard.Problem, placement: Sequence[int], *, with_transfers: bool = True
) -> np.ndarray:
    """The longest path from the start of each op to the end of a sink: [num_ops], seconds.

    Args:
        problem: Graph and machine.
        placement: The device of each op.
        with_transfers: Whether a tensor that changes devices takes its time alone on the route
            (docs/modelling.md, equation (6)), a control edge its latency; else neither takes any.
    """
    devices = np.asarray(placement)
    graph, times = problem.graph.arrays(), problem.arrays()
    path = times["op_seconds"][np.arange(len(devices)), devices]
    readers: list[list[tuple[int, float]]] = [[] for _ in devices]
    for (producer, reader), tensor in zip(
        graph["edge_index"].T.tolist(), graph["edge_tensor"].tolist(), strict=True
    ):
        route = devices[producer], devices[reader]
        seconds = times["latency_s"][route]
        seconds += graph["tensor_bytes"][tensor] / times["bandwidth_bytes_per_s"][route]
        counts = with_transfers and route[0] != route[1]
        readers[producer].append((reader, float(seconds) if counts else 0.0))
    for first, second in graph["control_edge_index"].T.tolist():
        seconds = times["latency_s"][devices[first], devices[second]]
        readers[first].append((second, float(seconds) if with_transfers else 0.0))
    for op in graph["topological_order"][::-1].tolist():
        path[op] += max((seconds + path[reader] for reader, seconds in readers[op]), default=0.0)
    return path


def ranks_of(key: np.ndarray) -> list[int]:
    """0 for the least key, and so on; equal keys by index, the greatest index first."""
    rank = np.empty(len(key), np.int64)
    rank[np.lexsort((-np.arange(len(key)), key))] = np.arange(len(key))
    return rank.tolist()


def with_path_transfers(problem: opyard.Problem, plan: opyard.Plan) -> opyard.Plan:
    """The plan with the transfers first whose readers begin the longest paths.

    In `opyard/ListSchedule-v0` transfers have fixed priorities. These are, for each tensor and each
    other device, the greatest rank of the readers there by `paths_to_sink`.
    """
    devices = plan.placement
    rank = ranks_of(paths_to_sink(problem, devices))
    greatest: dict[tuple[int, int], int] = {}
    arrays = problem.graph.arrays()
    for (producer, reader), tensor in zip(
        arrays["edge_index"].T.tolist(), arrays["edge_tensor"].tolist(), strict=True
    ):
        if devices[producer] != devices[reader]:
            key = tensor, devices[reader]
            greatest[key] = max(greatest.get(key, 0), rank[reader])
    return opyard.Plan(
        devices,
        plan.queue,
        plan.op_priority,
        plan.fusion_priority,
        plan.order,
        plan.transfer_order,
        transfer_priority=[(*key, priority) for key, priority in sorted(greatest.items())],
        fusion_region=plan.fusion_region,
    )
