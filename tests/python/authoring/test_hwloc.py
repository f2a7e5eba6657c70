"""`lstopo --of xml` as a machine: sockets, memory, cores, GPUs with their links."""

from __future__ import annotations

import pytest
import yaml
from imported_profiles import import_profile


@pytest.fixture
def box(tmp_path, capfd):
    return import_profile("two_sockets.hwloc.xml", tmp_path, capfd)


def test_packages_and_gpus_are_devices(box):
    assert box.machine.device_names == ["cpu0", "cpu1", "gpu0", "gpu1", "gpu2"]
    assert [each["type"] for each in box.values["devices"]] == [
        *("example-core-x7", "v100-sxm2-16gb")
    ]


def test_a_processor_without_a_type_gets_one_of_its_cores_and_memory(box):
    processor = box.machine.to_dict()["devices"][0]
    assert processor["memory"] == f"{32 * 2**30} B"
    # 3 cores x 2 GHz x 32 FLOP.
    assert processor["peak_flops"]["f32"] == "1.92e+11 FLOP/s"


def test_ways_part_at_a_switch_and_links_have_their_reported_speed(box):
    # 0.784 of 15.753846 GB/s, and of 7.876923 where the slot has half of the lanes.
    between, rate, latency = box.link("pcie0")
    assert between == ["gpu0", "plx0"]
    assert rate == pytest.approx(15.753846 * 0.784)
    assert latency == 10.75
    assert box.link("pcie1")[1] == pytest.approx(7.876923 * 0.784)
    assert box.link("uplink0")[0] == ["plx0", "root0"]


def test_a_speed_that_hwloc_could_not_read_is_that_of_the_class(box):
    assert box.link("pcie2") == (["gpu2", "root1"], 12.35, 10.75)


def test_a_display_that_computes_nothing_is_left_out_with_a_warning(box):
    assert "MGA G200: no library for computing knows it" in box.warnings
    assert "1 PCI devices that are no GPUs" in box.warnings


def test_nvlinks_are_those_of_the_matrix(box):
    # 50000 MB/s; the diagonal says nothing.
    assert box.link("nv-gpu0-gpu1") == (["gpu0", "gpu1"], 50.0, 10.0)
    assert box.names("nv-") == ["nv-gpu0-gpu1"]


def test_memory_and_bridges_beside_the_only_package_belong_to_it(tmp_path, capfd):
    box = import_profile("four_gpus.hwloc3.xml", tmp_path, capfd)
    names = [each["type"] for each in box.values["devices"]]
    assert names == ["xeon-e5-2698v4", "v100-sxm2-16gb"]
    assert box.link("pcie1")[0] == ["gpu1", "root0"]


def test_nvswitches_are_one_switch_with_the_sum_of_a_gpus_links(tmp_path, capfd):
    box = import_profile("four_gpus.hwloc3.xml", tmp_path, capfd)
    # 25 GB/s to the one and 50 to the other.
    assert box.link("nv-gpu1") == (["gpu1", "nvswitch0"], 75.0, 5.0)


def test_card_and_host_replace_what_the_file_names(tmp_path, capfd):
    options = ("--card", "p100-sxm2-16gb", "--host", "xeon-e5-2690v4")
    box = import_profile("two_sockets.hwloc.xml", tmp_path, capfd, *options)
    assert [each["type"] for each in box.values["devices"]] == [
        *("xeon-e5-2690v4", "p100-sxm2-16gb")
    ]
    assert not (tmp_path / "devices").exists()


def test_equal_processors_share_one_device_file(box, tmp_path):
    (device,) = (tmp_path / "devices").glob("*.yaml")
    values = yaml.safe_load(device.read_text(encoding="utf-8"))
    assert values["name"] == device.stem == "example-core-x7"
    assert values["provenance"]["memory"]["kind"] == "measured"
