"""InfraGraph files as machines: components become devices, switches and links."""

from __future__ import annotations

import json

import pytest
import yaml
from imported_profiles import INPUTS, import_profile, routes_of

V100 = ("--card", "v100-sxm2-16gb")


@pytest.fixture
def servers(tmp_path, capfd):
    return import_profile("two_servers.infragraph.yaml", tmp_path, capfd, *V100)


def test_counts_of_instances_and_components_multiply(servers):
    assert servers.machine.device_names == [
        *("host0-cpu0", "host1-cpu0", "host0-xpu0", "host0-xpu1", "host1-xpu0", "host1-xpu1")
    ]


def test_links_have_the_figures_of_the_file(servers, capfd):
    # 16 GB/s of PCIe, 80 Gb/s of the cable; 3 + 3 + 5 + 0.5 + 0.5 + 5 + 3 + 3 us in between.
    routes = routes_of(servers.path, capfd)
    assert routes["host0-xpu0", "host0-cpu0"] == (16.0, 6)
    assert routes["host0-xpu0", "host1-xpu1"] == (10.0, 23)


def test_equal_switches_side_by_side_are_one_with_all_nvlinks_of_a_card(servers, capfd):
    # Two switches; 6 links of a V100 x 23.9 GB/s.
    routes = routes_of(servers.path, capfd)
    assert routes["host1-xpu0", "host1-xpu1"][0] == pytest.approx(143.4)
    assert "host0-nvsw0 and 1 more of its kind" in servers.warnings


def test_the_processor_of_a_switch_forwards_only(servers):
    assert "leaf0-asic0" in servers.values["switches"]


def test_what_leads_nowhere_and_memories_are_left_out(servers):
    # Two NICs without an edge, two ports without a cable.
    assert "4 network cards, ports and switches lead nowhere" in servers.warnings
    assert "2 memories" in servers.warnings
    assert "host0-nic1" not in servers.values["switches"]


def test_figures_that_are_guessed_are_assumed(servers):
    provenance = servers.values["provenance"]
    assert "link nvlink: bandwidth is not said" in servers.warnings
    assert {entry["kind"] for entry in provenance.values()} == {"assumed", "datasheet"}


def test_json_reads_as_yaml(servers, tmp_path, capfd):
    values = yaml.safe_load((INPUTS / "two_servers.infragraph.yaml").read_text())
    path = tmp_path / "servers.json"
    path.write_text(json.dumps(values))
    again = import_profile(path, tmp_path, capfd, *V100)
    assert again.machine == servers.machine


def test_a_device_alone_is_one_instance(tmp_path, capfd):
    values = yaml.safe_load((INPUTS / "two_servers.infragraph.yaml").read_text())
    path = tmp_path / "server.json"
    path.write_text(json.dumps(values["devices"][0]))
    server = import_profile(path, tmp_path, capfd, *V100)
    assert server.machine.device_names == ["server0-cpu0", "server0-xpu0", "server0-xpu1"]


def chain(num: int, scheme: str) -> dict:
    """Accelerators in a ring, or each beside the next, without a switch."""
    links = [{"name": "ici", "physical": {"bandwidth": {"gigabytes_per_second": 50}}}]
    edges = [{"ep1": {"component": "xpu"}, "ep2": {"component": "xpu"}, "scheme": scheme}]
    return {
        "name": "pod",
        "components": [{"name": "xpu", "choice": "xpu", "count": num}],
        "links": links,
        "edges": [{**edge, "link": "ici"} for edge in edges],
    }


def test_accelerators_of_a_ring_forward_through_routers_of_their_own(tmp_path, capfd):
    path = tmp_path / "ring.json"
    path.write_text(json.dumps(chain(5, "ring")))
    ring = import_profile(path, tmp_path, capfd, *V100)
    assert "transfers pass accelerators" in ring.warnings
    # Two hops of 0.5 us to the opposite ones.
    routes = routes_of(ring.path, capfd)
    assert routes["pod0-xpu0", "pod0-xpu1"] == (50.0, 0.5)
    assert routes["pod0-xpu0", "pod0-xpu3"] == (50.0, 1.0)


def test_a_full_mesh_needs_no_routers(tmp_path, capfd):
    path = tmp_path / "mesh.json"
    path.write_text(json.dumps(chain(4, "many2many")))
    mesh = import_profile(path, tmp_path, capfd, *V100)
    assert "switches" not in mesh.values
    assert len(mesh.names("ici-")) == 6


def test_devices_stand_inside_devices(tmp_path, capfd):
    inner = {
        "name": "board",
        "components": [
            {"name": "xpu", "choice": "xpu", "count": 1},
            {"name": "plug", "choice": "custom", "count": 1, "custom": {"type": "plug"}},
        ],
        "links": [{"name": "inner"}],
        "edges": [
            {"ep1": {"component": "xpu"}, "ep2": {"component": "plug"}, "link": "inner"},
        ],
    }
    outer = {
        "name": "box",
        "components": [
            {"name": "board", "choice": "device", "count": 3},
            {"name": "sw", "choice": "switch", "count": 1},
        ],
        "links": [{"name": "pcie"}],
        "edges": [
            {
                "ep1": {"device": "board[0:3]", "component": "plug[0]"},
                "ep2": {"component": "sw"},
                "link": "pcie",
            }
        ],
    }
    instances = [{"name": "box", "device": "box", "count": 1}]
    path = tmp_path / "nested.json"
    path.write_text(json.dumps({"devices": [outer, inner], "instances": instances}))
    nested = import_profile(path, tmp_path, capfd, *V100)
    assert nested.machine.device_names == [f"box0-board{index}-xpu0" for index in range(3)]
    assert len(nested.names("pcie-")) == 3
