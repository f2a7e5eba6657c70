"""Wrong files of other tools are refused with their place, what was found and what was expected."""

from __future__ import annotations

import json

import pytest
from imported_profiles import INPUTS, refusal_of
from opyard.cli import main

V100 = ("--card", "v100-sxm2-16gb")
TOPO = (INPUTS / "pcie_tree.topo.txt").read_text(encoding="utf-8")
HWLOC = (INPUTS / "two_sockets.hwloc.xml").read_text(encoding="utf-8")
SIMGRID = (INPUTS / "three_hosts.simgrid.xml").read_text(encoding="utf-8")
CLUSTERS = (INPUTS / "clusters.simgrid.xml").read_text(encoding="utf-8")
INFRAGRAPH = (INPUTS / "two_servers.infragraph.yaml").read_text(encoding="utf-8")


def changed(text: str, old: str, new: str) -> str:
    """The text with its first `old` replaced, which has to be there."""
    assert old in text
    return text.replace(old, new, 1)


def check(text: str | bytes, expected: tuple[str, ...], tmp_path, capfd, *more: str) -> None:
    message = refusal_of(text, tmp_path, capfd, *more)
    for part in expected:
        assert part in message
    assert "Traceback" not in message


MATRICES = {
    "a cell that no driver prints": (
        changed(TOPO, "PIX     PXB", "PIY     PXB"),
        ("line 2: row GPU0: column GPU1", '"PIY"', "expected NV1"),
    ),
    "a row that is cut off": (
        changed(TOPO, "PHB     PHB     PHB      X ", "PHB"),
        ("line 5: row GPU3: found", "cells, expected 5"),
    ),
    "a row that is missing": (
        "\n".join(TOPO.splitlines()[:-3]),
        ("row GPU4: is missing",),
    ),
    "halves that differ": (
        changed(TOPO, "GPU1    PIX", "GPU1    NV2"),
        ("row GPU0, column GPU1", '"PIX"', '"NV2"'),
    ),
    "an X beside the diagonal": (
        changed(TOPO, "PIX      X ", "X        X "),
        ("line 3: row GPU1: column GPU0",),
    ),
    "no X on the diagonal": (
        changed(TOPO, "GPU2    PXB     PXB      X ", "GPU2    PXB     PXB     PIX"),
        ("column GPU2", "expected X"),
    ),
    "a row twice": (
        changed(TOPO, "GPU1    PIX", "GPU0    PIX"),
        ("line 3: row GPU0: stands there twice", "row GPU1: is missing"),
    ),
    "a row without a column": (
        changed(TOPO, "\nLegend", "GPU5    SYS     SYS     SYS     SYS     SYS\n\nLegend"),
        ('a row "GPU5"',),
    ),
    "no NVLink at all": (
        changed(TOPO, "PIX     PXB", "NV0     PXB"),
        ('"NV0"',),
    ),
}


@pytest.mark.parametrize(("text", "expected"), MATRICES.values(), ids=MATRICES)
def test_matrices(text, expected, tmp_path, capfd):
    check(text, expected, tmp_path, capfd, *V100)


def test_all_problems_of_a_matrix_are_said_at_once(tmp_path, capfd):
    text = changed(changed(TOPO, "PIX     PXB", "one     two"), "GPU4    SYS", "GPU4    bus")
    message = refusal_of(text, tmp_path, capfd, *V100)
    assert all(word in message for word in ('"one"', '"two"', '"bus"'))


def test_a_matrix_names_no_cards(tmp_path, capfd):
    expected = ("does not say which cards", "--card", "v100-sxm2-16gb", "opyard profile new")
    check(TOPO, expected, tmp_path, capfd)


def test_a_card_has_to_be_known(tmp_path, capfd):
    check(TOPO, ('--card: found "v999"',), tmp_path, capfd, "--card", "v999")


def test_a_text_without_a_matrix(tmp_path, capfd):
    check("hello", ("nvidia-smi topo -m",), tmp_path, capfd, "--as", "nvidia-smi")


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE topology [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY a{i} "{"&a;" * 10}">' for i in range(9))
    + ']><topology version="2.0">&a8;</topology>'
)
OUTSIDE = (
    '<!DOCTYPE platform [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    '<platform version="4.1">&x;</platform>'
)

TOPOLOGIES = {
    "no end": (HWLOC[: HWLOC.index("<info")], ("line 6", "no XML")),
    "entities": (BOMB, ('found the entity "a"', "without entities")),
    "hwloc 1": (
        changed(HWLOC, 'version="2.0"', 'version="1.0"'),
        ("line 3: <topology>", '"1.0"', "lstopo --of xml"),
    ),
    "no package": (
        HWLOC.replace('type="Package"', 'type="Group"'),
        ('no object of type "Package"',),
    ),
    "memory that is no number": (
        changed(HWLOC, 'local_memory="34359738368"', 'local_memory="32 GB"'),
        ('line 7: <object type="NUMANode">', "local_memory", '"32 GB"'),
    ),
    "negative memory": (
        changed(HWLOC, 'local_memory="34359738368"', 'local_memory="-1"'),
        ("local_memory", '"-1"'),
    ),
    "a speed that is no number": (
        changed(HWLOC, 'pci_link_speed="7.876923"', 'pci_link_speed="fast"'),
        ("pci_link_speed", '"fast"', "gigabytes per second"),
    ),
    "a device without a class": (
        changed(HWLOC, 'pci_type="0302 [10de:1db1]', 'pci_type="[10de:1db1]'),
        ('<object type="PCIDev">', "0302"),
    ),
    "a matrix that is not square": (
        changed(HWLOC, '<u64values length="20">50000 1000000 </u64values>', ""),
        ("<distances2hetero>", "2 indexes and 2 values"),
    ),
    "a matrix of words": (
        changed(HWLOC, "1000000 50000", "1000000 many"),
        ("<distances2hetero>", '"many"'),
    ),
    "a card without a type": (
        HWLOC.replace("Tesla V100-SXM2-16GB", "Titan Z"),
        ('"Titan Z"', "--card"),
    ),
    "another root": ("<svg></svg>", ("'svg'", "topology (hwloc)")),
}


@pytest.mark.parametrize(("text", "expected"), TOPOLOGIES.values(), ids=TOPOLOGIES)
def test_topologies(text, expected, tmp_path, capfd):
    check(text, expected, tmp_path, capfd)


PLATFORMS = {
    "an old version": (
        changed(SIMGRID, 'version="4.1"', 'version="3"'),
        ("<platform>", '"3"', "simgrid_update_xml"),
    ),
    "a file from outside": (OUTSIDE, ('the entity "x"',)),
    "a speed without a number": (
        changed(SIMGRID, 'speed="2Gf"', 'speed="fast"'),
        ("<host id=left>", '"fast"', "such as 1Gf"),
    ),
    "a speed of 0": (changed(SIMGRID, 'speed="2Gf"', 'speed="0f"'), ("<host id=left>",)),
    "a rate in another unit": (
        changed(SIMGRID, '"2MBps"', '"2MB"'),
        ("line 9: <link id=slow>", '"2MB"', "125MBps"),
    ),
    "a latency in a rate's unit": (
        changed(SIMGRID, '"3us"', '"3Bps"'),
        ("<link id=slow>", "latency", "50us"),
    ),
    "a policy that does not exist": (
        changed(SIMGRID, "FATPIPE", "FATPIPES"),
        ("<link id=loop>", "SPLITDUPLEX, FULLDUPLEX, SHARED, FATPIPE"),
    ),
    "a link that no one declares": (
        changed(SIMGRID, '<link_ctn id="fast"/>', '<link_ctn id="quick"/>'),
        ('route from "middle" to "right"', '"quick"'),
    ),
    "a host that no one declares": (
        changed(SIMGRID, 'dst="middle"', 'dst="center"'),
        ('route from "left" to "center"', '"center" is no host'),
    ),
    "a missing route": (
        changed(SIMGRID, '<route src="middle" dst="right"><link_ctn id="fast"/></route>', ""),
        ('no route from host "middle" to "right"', "<zoneRoute>"),
    ),
    "hosts of one name": (
        changed(SIMGRID, 'id="middle"', 'id="left"'),
        ("two hosts are called",),
    ),
    "links of one name": (changed(SIMGRID, 'id="fast"', 'id="slow"'), ("two links are called",)),
    "no host": ('<platform version="4.1"></platform>', ("found no host",)),
    "a tag without meaning": (
        changed(SIMGRID, "<config>", "<confix/><config>"),
        ("<confix>", "is not read"),
    ),
    "a routing of coordinates": (
        changed(SIMGRID, 'routing="Full"', 'routing="Vivaldi"'),
        ("<zone id=world>", '"vivaldi"'),
    ),
    "a cluster of another shape": (
        changed(CLUSTERS, "<cluster ", '<cluster topology="FAT_TREE" '),
        ("<cluster id=a>", '"FAT_TREE"', "expected FLAT"),
    ),
    "numbers from high to low": (
        changed(CLUSTERS, 'radical="0-2"', 'radical="2-0"'),
        ("<cluster id=a>", "radical", '"2-0"'),
    ),
    "a cluster of millions": (
        changed(CLUSTERS, 'radical="0-2"', 'radical="0-99999999"'),
        ("radical", "at most 1024"),
    ),
    "a gateway elsewhere": (
        changed(CLUSTERS, 'gw_dst="bb_router.org"', 'gw_dst="a0.org"'),
        ('the gateway "a0.org"', 'inside "b"'),
    ),
    "cores of nothing": (
        changed(SIMGRID, 'core="2"', 'core="0"'),
        ("<host id=right>", "core", '"0"'),
    ),
    "a direction aside": (
        changed(SIMGRID, '<link_ctn id="slow"/>', '<link_ctn id="slow" direction="LEFT"/>'),
        ("<link_ctn id=slow>", '"LEFT"', "UP or DOWN"),
    ),
}


@pytest.mark.parametrize(("text", "expected"), PLATFORMS.values(), ids=PLATFORMS)
def test_platforms(text, expected, tmp_path, capfd):
    check(text, expected, tmp_path, capfd)


def test_deep_xml(tmp_path, capfd):
    text = '<platform version="4.1">' + "<zone>" * 300 + "</zone>" * 300 + "</platform>"
    check(text, ("nested deeper than 256",), tmp_path, capfd)


LAUGHS = "devices: &a [1]\ninstances: [*a, *a]\n"
INFRAGRAPHS = {
    "an alias": (LAUGHS, ("line 2: found an alias",)),
    "a count of nothing": (
        changed(INFRAGRAPH, "choice: xpu, count: 2", "choice: xpu, count: 0"),
        ("/devices/0/components/1/count", '"0"', "from 1"),
    ),
    "a kind that does not exist": (
        changed(INFRAGRAPH, "choice: nic", "choice: nik"),
        ("/devices/0/components/4/choice", '"nik"'),
    ),
    "a link that no one declares": (
        changed(INFRAGRAPH, "link: nvlink}", "link: nvlinc}"),
        ("/devices/0/edges/0/link", '"nvlinc"', "nvlink, pcie"),
    ),
    "a component that no one declares": (
        changed(INFRAGRAPH, "{component: nvsw}", "{component: nvswitch}"),
        ("/devices/0/edges/0", '"nvswitch"', "nvsw"),
    ),
    "an index beyond the count": (
        changed(INFRAGRAPH, '"xpu[0:2]"', '"xpu[0:3]"'),
        ("/devices/0/edges/2", "xpu[0:3]", "there are 2"),
    ),
    "an index that is no number": (
        changed(INFRAGRAPH, '"nic[0]"', '"nic[a]"'),
        ("/edges/0/ep1/component", '"nic[a]"', "NAME[0:2]"),
    ),
    "a device that no one declares": (
        changed(INFRAGRAPH, "device: switch", "device: router"),
        ("/instances/1/device", '"router"', "server, switch"),
    ),
    "an instance that no one declares": (
        changed(INFRAGRAPH, "instance: host", "instance: hosts"),
        ("/edges/0", '"hosts"'),
    ),
    "a negative bandwidth": (
        changed(INFRAGRAPH, "gigabits_per_second: 80", "gigabits_per_second: -80"),
        ("/links/0/physical/bandwidth/gigabits_per_second", '"-80"'),
    ),
    "a unit that does not exist": (
        changed(INFRAGRAPH, "choice: us, us: 5", "choice: min, min: 5"),
        ("/links/0/physical/latency/choice", '"min"', "ms, us, ns"),
    ),
    "a scheme that does not exist": (
        changed(INFRAGRAPH, "scheme: many2many", "scheme: all2all"),
        ("/devices/0/edges/0/scheme", '"all2all"', "many2many, one2one, ring"),
    ),
    "no instance": (
        INFRAGRAPH[: INFRAGRAPH.index("instances:")],
        ("/instances", "expected an instance"),
    ),
    "servers that no cable joins": (
        INFRAGRAPH[: INFRAGRAPH.rindex("edges:")],
        ("/edges", "leave parts of the machine apart"),
    ),
    "billions of parts": (
        changed(INFRAGRAPH, "device: server, count: 2", "device: server, count: 60000"),
        ("/instances", "make more than 65536 components"),
    ),
    "YAML that ends in a list": ("components: [1, 2", ("line", "no YAML")),
    "JSON that ends in a list": ('{"components": [1, 2', ("line 1, column", "no JSON")),
    "a key twice": ('{"components": [], "components": []}', ('"components" stands twice',)),
    "a text for a list": ('{"components": "many", "name": "x"}', ("/devices/0/components", "list")),
    "devices inside themselves": (
        json.dumps(
            {
                "devices": [
                    {"name": "a", "components": [{"name": "a", "choice": "device", "count": 1}]}
                ],
                "instances": [{"name": "a", "device": "a", "count": 1}],
            }
        ),
        ('device "a"', "inside each other"),
    ),
}


@pytest.mark.parametrize(("text", "expected"), INFRAGRAPHS.values(), ids=INFRAGRAPHS)
def test_infragraphs(text, expected, tmp_path, capfd):
    check(text, expected, tmp_path, capfd, *V100)


def test_deep_json(tmp_path, capfd):
    check('{"components": ' + "[" * 5000 + "]" * 5000 + "}", ("deep",), tmp_path, capfd)


ANY = {
    "an empty file": (b" \n", ("the file is empty",)),
    "binary": (b"\x00\x01\x02GPU0 ", ("found NUL",)),
    "Latin-1": ("GPU0 é".encode("latin-1"), ("is no UTF-8",)),
    "prose": (b"not a machine", ("nvidia-smi, hwloc, simgrid, infragraph", "--as")),
}


@pytest.mark.parametrize(("text", "expected"), ANY.values(), ids=ANY)
def test_files_of_no_format(text, expected, tmp_path, capfd):
    check(text, expected, tmp_path, capfd)


def test_a_file_that_is_absent(tmp_path, capfd):
    arguments = ["profile", "import", str(tmp_path / "none"), "--out", str(tmp_path / "m.yaml")]
    assert main(arguments) == 2
    assert "No such file" in capfd.readouterr().err
