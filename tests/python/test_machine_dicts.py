"""Machines made of dicts, without files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import opyard
import pytest
from case_names import case_name
from made_graphs import damaged, outcome

ROOT = Path(__file__).resolve().parents[2]
MACHINES = sorted(path.stem for path in (ROOT / "hardware_profiles" / "machines").glob("*.yaml"))


def two(**changes: object) -> dict:
    """Two GPUs and a link; None leaves a key out."""
    values = {
        "schema_version": 1,
        "name": "two",
        "devices": [{"name": "gpu", "type": "p100-pcie-16gb", "count": 2}],
        "links": [
            {"name": "nv", "between": ["gpu0", "gpu1"], "bandwidth": "20 GB/s", "latency": "5 us"}
        ],
    }
    return {key: value for key, value in (values | changes).items() if value is not None}


def whole(**changes: object) -> dict:
    """A device of a type that is not shipped."""
    values = {
        "name": "own0",
        "type": "own",
        "kind": "gpu",
        "memory": "16 GiB",
        "memory_bandwidth": "700 GB/s",
        "peak_flops": {"f32": "10 TFLOP/s"},
        "launch_overhead": "5 us",
    }
    return {key: value for key, value in (values | changes).items() if value is not None}


def test_a_dict_makes_what_a_file_makes(tmp_path):
    path = tmp_path / "two.yaml"
    path.write_text(json.dumps(two()))  # JSON is YAML, too
    assert opyard.Machine.from_dict(two()) == opyard.load_machine(path)


def test_shorthands_and_nodes_may_stand_in_a_dict():
    machine = opyard.Machine.from_dict(
        {
            "schema_version": 1,
            "name": "boxes",
            "nodes": [
                {
                    "name": "node",
                    "count": 2,
                    "devices": [whole(name="gpu", count=2)],
                    "links": [
                        {
                            "name": "nv",
                            "topology": "switch",
                            "between": ["gpu*"],
                            "bandwidth": "20 GB/s",
                        }
                    ],
                }
            ],
            "links": [{"name": "ib", "between": ["node*.nv"], "bandwidth": "10 GB/s"}],
        }
    )
    assert machine.device_names == ["node0.gpu0", "node0.gpu1", "node1.gpu0", "node1.gpu1"]
    assert [link["name"] for link in machine.to_dict()["links"]] == [
        "node0.nv.gpu0",
        "node0.nv.gpu1",
        "node1.nv.gpu0",
        "node1.nv.gpu1",
        "ib",
    ]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_survives_its_dict(name):
    machine = opyard.load_machine(name)
    values = machine.to_dict()
    assert opyard.Machine.from_dict(values) == machine
    assert json.loads(json.dumps(values)) == values
    graph = "random:layered?n=30&seed=2"
    plans = [
        opyard.Problem(graph, each).plan() for each in (machine, opyard.Machine.from_dict(values))
    ]
    reports = [opyard.simulate(graph, each, plans[0]) for each in (machine, name)]
    assert plans[0] == plans[1]
    assert reports[0] == reports[1]


def test_all_settings_of_a_machine_survive_its_dict():
    values = two(
        switches=["s0", "s1"],
        links=[
            {"name": "a", "between": ["gpu0", "s0"], "bandwidth": "20 GB/s", "latency": "5 us"},
            {"name": "b", "between": ["s0", "gpu1"], "bandwidth": "10 GB/s", "latency": "0 us",
             "duplex": "half"},
            {"name": "c", "between": ["s0", "s1"], "bandwidth": "1 GB/s", "latency": "1 ms"},
        ],
        routes=[{"from": "gpu0", "to": "gpu1", "via": ["a", "b"], "latency": "9 us"}],
        execution={"dispatch": "1 us", "gap_after_op": "2 us", "trailing_gaps_count": True},
        fusion={"max_ops": 8, "max_depth_span": 4},
        transfers={"sharing": "serial", "channels": ["links", "egress"], "one_per": "edge"},
        memory={"on_exceed": "wait", "reserve": 0.25},
    )  # fmt: skip
    with pytest.warns(UserWarning, match='machine#/switches: switch "s1" has fewer than two links'):
        machine = opyard.Machine.from_dict(values)
    again = machine.to_dict()
    assert again["memory"] == {"on_exceed": "wait", "reserve": 0.25}
    assert again["execution"]["trailing_gaps_count"] is True
    assert again["fusion"] == {"max_ops": 8, "max_depth_span": 4}
    with pytest.warns(UserWarning, match="fewer than two links"):
        assert opyard.Machine.from_dict(again) == machine


def test_a_whole_device_may_be_of_any_type():
    machine = opyard.Machine.from_dict(two(devices=[whole()], links=[]))
    assert machine.device_names == ["own0"]
    assert opyard.Machine.from_dict(machine.to_dict()) == machine
    assert opyard.Problem("random:layered?n=12&seed=1", machine).problem_bound_s > 0


def test_a_device_overrides_figures_of_its_type():
    devices = [{"name": "gpu0", "type": "p100-pcie-16gb", "memory": "8 GiB"}]
    machine = opyard.Machine.from_dict(two(devices=devices, links=[]))
    (device,) = machine.to_dict()["devices"]
    assert device["memory"] == f"{8 * 2**30} B"
    assert device["type"] == "p100-pcie-16gb"


def test_device_types_of_the_current_folder_do_not_count(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.yaml").write_text("schema_version: 1\n")
    with pytest.raises(opyard.InputError, match='found "own", expected a device type'):
        opyard.Machine.from_dict(two(devices=[whole(memory=None)], links=[]))


def looped() -> dict:
    value: dict = {}
    value["cost"] = value
    return value


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": None}, 'machine#: key "name" is missing from machine file'),
        ({"schema_version": 2}, 'machine#/schema_version: found "2", expected a whole number from'),
        ({"schema_version": "1"}, 'machine#/schema_version: found "1", expected a whole number'),
        ({"name": 3}, 'machine#/name: found "3", expected text'),
        ({"name": "a b"}, 'machine#/name: found "a b", expected a name'),
        ({"lnks": []}, 'machine#/lnks: unknown key "lnks" in machine file; did you mean "links"'),
        ({"devices": []}, "machine#/devices: the list of devices is empty"),
        ({"devices": {}}, "machine#/devices: found a map, expected a list of devices"),
        ({"devices": [3]}, 'machine#/devices/0: found "3", expected a map: device'),
        (
            {"devices": [whole(type="nix", memory=None)]},
            'machine#/devices/0/type: found "nix", exp',
        ),
        ({"devices": [whole(memory="16")]}, "machine#/devices/0/memory: a bare number"),
        ({"devices": [whole(memory=16)]}, "machine#/devices/0/memory: a bare number"),
        ({"devices": [whole(memory="-1 GiB")]}, "machine#/devices/0/memory"),
        ({"devices": [whole(memory="1e30 PiB")]}, "machine#/devices/0/memory"),
        ({"devices": [whole(kind="gpuu")]}, 'machine#/devices/0/kind: .*did you mean "gpu"'),
        ({"devices": [whole(kind=["gpu"])]}, "machine#/devices/0/kind: found a list"),
        ({"devices": [whole(peak_flops={})]}, "machine#/devices/0/peak_flops: peak_flops is empty"),
        ({"devices": [whole(), whole()]}, "machine#/devices/1/name"),
        ({"devices": [whole(count=True)]}, 'machine#/devices/0/count: found "true", expected'),
        ({"devices": [whole(count=10**9)]}, "machine#/devices/0/count"),
        ({"memory": {"reserve": float("nan")}}, "machine#/memory/reserve: found nan, expected a f"),
        (
            {"memory": {"reserve": 2}},
            'machine#/memory/reserve: found "2", expected a number from 0',
        ),
        ({"memory": {"reserve": 2**70}}, "machine#/memory/reserve: found a whole number beyond"),
        ({"execution": {"dispatch": np.float64(1)}}, "machine#/execution/dispatch"),
        ({"execution": {"trailing_gaps_count": "true"}}, "machine#/execution/trailing_gaps_count"),
        ({"links": None, "devices": [whole(), whole(name="own1")]}, "machine#"),
        ({"links": [{"name": "a", "between": ["gpu0", "gpu7"]}]}, "machine#/links/0"),
        ({"a/b~c": 1}, "machine#/a~1b~0c: unknown key"),
        ({"name": object()}, 'machine#/name: found a value of the type "object"'),
        ({"execution": looped()}, "nested deeper than 32 levels"),
        ({"name": "\x00"}, "machine#/name"),
        ({"name": "\ud800"}, "machine#/name: found text with half a character"),
    ],
    ids=lambda value: case_name(value)[:50].encode("ascii", "replace").decode(),
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_malformed_dict_is_refused_with_its_place(changes, message):
    with pytest.raises(opyard.InputError, match=message):
        opyard.Machine.from_dict(two(**changes))


def test_all_problems_are_reported_at_once():
    with pytest.raises(opyard.InputError) as error:
        opyard.Machine.from_dict(two(name=None, devices=[whole(memory="x", kind="y")], links=3))
    places = [line.split(":")[0] for line in str(error.value).splitlines()]
    assert {
        "machine#",
        "machine#/devices/0/memory",
        "machine#/devices/0/kind",
        "machine#/links",
    } <= set(places)


def test_implausible_figures_are_warned_about_with_their_place():
    with pytest.warns(UserWarning, match="machine#/devices/0/memory_bandwidth: .* implausible"):
        opyard.Machine.from_dict(two(devices=[whole(memory_bandwidth="1 GB/s")], links=[]))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("make", [two, lambda: opyard.load_machine("p100x4-pcie").to_dict()])
def test_random_damage_to_a_dict_ends_in_an_input_error_or_a_machine(make):
    rng = np.random.default_rng(11)
    values = make()
    outcomes = {outcome(opyard.Machine.from_dict, damaged(values, rng)) for _ in range(500)}
    assert outcomes == {"Machine", "InputError at machine", "TypeError"}
