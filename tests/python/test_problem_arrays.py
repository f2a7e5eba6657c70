"""The arrays of a problem: costs, allowed devices, routes, features."""

from __future__ import annotations

import json

import numpy as np
import opyard
import pytest

GRAPH = {
    "format": "opyard-graph/1",
    "name": "toy",
    "ops": [
        {"name": "a", "type": "Custom", "seconds": {"*": 0.002, "host": 0.007},
         "outputs": [{"bytes": 1000}]},
        {"name": "b", "type": "Custom", "seconds": {"*": 0.003}, "inputs": [[0, 0]],
         "device_kinds": ["gpu"]},
        {"name": "c", "type": "Custom", "seconds": {"*": 0.005}, "colocation": "x"},
        {"name": "d", "type": "Custom", "seconds": {"*": 0.011}, "colocation": "x"},
    ],
}  # fmt: skip
DEVICE = """schema_version: 1
name: {name}
kind: {kind}
memory: 1000 B
memory_bandwidth: 100 GB/s
peak_flops: {{f32: 1 TFLOP/s}}
"""
# Any two devices have two links between them, through a switch.
MACHINE = """schema_version: 1
name: three
devices:
  - {name: gpu, type: fast, count: 2}
  - {name: host, type: host}
switches: [hub]
links:
  - {name: left, between: [gpu0, hub], bandwidth: 2 GB/s, latency: 3 us}
  - {name: right, between: [hub, gpu1], bandwidth: 5 GB/s, latency: 7 us}
  - {name: below, between: [hub, host], bandwidth: 1 GB/s, latency: 11 us}
memory: {reserve: 0.1}
"""


@pytest.fixture
def problem(tmp_path):
    """Four ops on two GPUs and a host."""
    for name, kind in (("fast", "gpu"), ("host", "cpu")):
        path = tmp_path / "devices" / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(DEVICE.format(name=name, kind=kind))
    (tmp_path / "machines").mkdir()
    (tmp_path / "machines" / "three.yaml").write_text(MACHINE)
    graph = tmp_path / "toy.graph.json"
    graph.write_text(json.dumps(GRAPH))
    return opyard.Problem(graph, tmp_path / "machines" / "three.yaml")


def test_ops_take_what_was_measured_on_each_device(problem):
    seconds = problem.arrays()["op_seconds"]
    assert seconds.tolist() == [
        [0.002, 0.002, 0.007],
        [0.003, 0.003, 0.003],  # also where it may not run
        [0.005, 0.005, 0.005],
        [0.011, 0.011, 0.011],
    ]


def test_groups_are_allowed_where_all_their_ops_are(problem):
    allowed = problem.arrays()["allowed"]
    assert allowed.dtype == bool
    groups = problem.group_of_op
    assert allowed.shape == (3, 3)  # c and d are one group
    assert allowed[groups[0]].tolist() == [True, True, True]
    assert allowed[groups[1]].tolist() == [True, True, False]
    assert allowed[groups[2]].tolist() == [True, True, True]


def test_routes_are_told_for_each_pair_of_devices(problem):
    arrays = problem.arrays()
    # gpu0 to gpu1: 3 us + 7 us, and the narrower of 2 GB/s and 5 GB/s.
    assert arrays["latency_s"].tolist() == [
        [0.0, 1e-5, 1.4e-5],
        [1e-5, 0.0, 1.8e-5],
        [1.4e-5, 1.8e-5, 0.0],
    ]
    inf = float("inf")
    assert arrays["bandwidth_bytes_per_s"].tolist() == [
        [inf, 2e9, 1e9],
        [2e9, inf, 1e9],
        [1e9, 1e9, inf],
    ]
    assert arrays["capacity_bytes"].tolist() == [900, 900, 900]  # a tenth is kept back


@pytest.mark.parametrize("machine", ["regal", "regal-4", "regal-8"])
def test_free_transfers_have_no_latency_and_infinite_bandwidth(machine):
    arrays = opyard.Problem("random:regal?n=5&seed=1", machine).arrays()
    num_devices = len(arrays["capacity_bytes"])
    assert arrays["latency_s"].tolist() == [[0.0] * num_devices] * num_devices
    assert arrays["bandwidth_bytes_per_s"].tolist() == [[float("inf")] * num_devices] * num_devices


def test_the_observation_is_that_of_the_environment_without_padding(problem):
    seen = problem.observation()
    env = opyard.envs.OneShotEnv(problem.graph, problem.hardware)
    padded, _ = env.reset(seed=0)
    assert set(seen) == set(padded) - {"op_mask", "edge_mask", "machine_mask", "action_mask"}
    for name, array in seen.items():
        assert np.array_equal(array, padded[name]), name  # of one graph: nothing is padded


def test_arrays_are_copies(problem):
    problem.arrays()["op_seconds"][:] = 0.0
    assert problem.arrays()["op_seconds"][0, 0] == 0.002
