"""`nvidia-smi topo -m` as a machine: NVLinks, switches and sockets."""

from __future__ import annotations

import opyard
import pytest
from imported_profiles import import_profile, routes_of

V100 = ("--card", "v100-sxm2-16gb")


@pytest.fixture
def quad(tmp_path, capfd):
    return import_profile("quad_mesh.topo.txt", tmp_path, capfd, *V100)


def test_devices_are_the_gpus_and_a_host_for_each_numa_node(quad):
    assert quad.machine.device_names == ["cpu0", "cpu1", "gpu0", "gpu1", "gpu2", "gpu3"]


def test_nvlinks_have_the_class_bandwidth_times_their_number(quad):
    # NVLink 2 reaches 23.9 GB/s a link.
    assert quad.link("nv-gpu0-gpu1") == (["gpu0", "gpu1"], 47.8, 10.0)
    assert quad.link("nv-gpu1-gpu3") == (["gpu1", "gpu3"], 23.9, 10.0)
    assert len(quad.names("nv-")) == 4


def test_a_network_card_beside_two_gpus_tells_their_switch(quad):
    # NVLinks hide the PCIe tree between GPU0 and GPU1, but both say PIX of NIC0.
    assert quad.link("pcie0")[0] == ["gpu0", "plx0"]
    assert quad.link("pcie1")[0] == ["gpu1", "plx0"]
    assert quad.link("pcie2")[0] == ["gpu2", "root1"]
    assert "NIC0: network cards have no counterpart" in quad.warnings


def test_pairs_without_nvlinks_pass_the_socket_link(quad, capfd):
    routes = routes_of(quad.path, capfd)
    # PCIe 3 reaches 12.35 GB/s and QPI 10.28; either card adds 10.75 us.
    assert routes["gpu0", "gpu3"] == (10.28, 21.5)
    assert routes["gpu0", "gpu1"] == (47.8, 10.0)


def test_switches_follow_from_pix_and_pxb(tmp_path, capfd):
    tree = import_profile("pcie_tree.topo.txt", tmp_path, capfd, *V100)
    # GPU0 and GPU1 below plx1, GPU2 beside it below plx0, GPU3 at the root, GPU4 at the other.
    ends = {link["name"]: link["between"] for link in tree.values["links"]}
    assert [ends[f"pcie{index}"][1] for index in range(5)] == [
        *("plx1", "plx1", "plx0", "root0", "root1")
    ]
    assert ends["uplink0"] == ["plx1", "plx0"]
    assert ends["uplink1"] == ["plx0", "root0"]


def test_equal_links_of_all_pairs_are_a_switch(tmp_path, capfd):
    box = import_profile("nvswitch.topo.txt", tmp_path, capfd, *V100)
    assert "nvswitch0" in box.values["switches"]
    # 12 x 23.9 GB/s; half of the 10 us on either side of the switch.
    assert box.link("nv-gpu2") == (["gpu2", "nvswitch0"], 286.8, 5.0)
    assert box.names("nv-gpu0-") == []


def test_what_is_guessed_is_assumed(quad):
    kinds = {key: entry["kind"] for key, entry in quad.values["provenance"].items()}
    assert kinds == {"devices": "assumed", "switches": "assumed", "links": "assumed"}


def test_one_gpu_is_a_machine(tmp_path, capfd):
    path = tmp_path / "topo.txt"
    path.write_text("\tGPU0\tCPU Affinity\nGPU0\t X \t0-3\n")
    box = import_profile(path, tmp_path, capfd, *V100)
    assert box.link("pcie0") == (["gpu0", "cpu0"], 12.35, 30.0)


# GPUs and network cards of a DGX-1, each with its switch: two switches are of one socket.
SWITCHES = {f"GPU{i}": i // 2 for i in range(8)} | {f"NIC{i}": i for i in range(4)}


def bricks_of_dgx1() -> dict[tuple[str, str], int]:
    """NVLinks of the shipped machine by pairs of GPUs, in both orders."""
    links = opyard.load_machine("v100x8-dgx1").to_dict()["links"]
    ends = {tuple(link["between"]): rate_of(link) for link in links if link["name"][:2] == "nv"}
    pairs = {(a.upper(), b.upper()): round(rate / 23.9e9) for (a, b), rate in ends.items()}
    return pairs | {(b, a): number for (a, b), number in pairs.items()}


def cell(row: str, column: str, bricks: dict[tuple[str, str], int]) -> str:
    if row == column:
        return "X"
    if (row, column) in bricks:
        return f"NV{bricks[row, column]}"
    left, right = SWITCHES[row], SWITCHES[column]
    return "PIX" if left == right else "PHB" if left // 2 == right // 2 else "SYS"


def matrix_of_dgx1() -> str:
    """The shipped machine as the driver prints it."""
    bricks = bricks_of_dgx1()
    lines = ["\t".join(["", *SWITCHES, "CPU Affinity"])]
    for row, switch in SWITCHES.items():
        affinity = ["0-19,40-59" if switch < 2 else "20-39,60-79"] if row[0] == "G" else []
        lines.append("\t".join([row, *(cell(row, each, bricks) for each in SWITCHES), *affinity]))
    return "\n".join(lines)


def test_a_dgx1_is_the_shipped_machine(tmp_path, capfd):
    path = tmp_path / "topo.txt"
    path.write_text(matrix_of_dgx1())
    box = import_profile(path, tmp_path, capfd, *V100)
    shipped = opyard.load_machine("v100x8-dgx1").to_dict()["links"]
    ours = {tuple(link["between"]): link for link in box.machine.to_dict()["links"]}
    assert ours.keys() == {tuple(link["between"]) for link in shipped}
    for link in shipped:
        same = ours[tuple(link["between"])]
        assert same["latency"] == link["latency"]
        # Two bricks: 47.9 GB/s measured, 2 x 23.9 here.
        assert rate_of(same) == pytest.approx(rate_of(link), rel=0.003)


def rate_of(link: dict) -> float:
    return float(link["bandwidth"].split()[0])
