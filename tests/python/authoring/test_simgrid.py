"""SimGrid platforms as machines: hosts, links, routes; transfers take what they take there."""

from __future__ import annotations

from pathlib import Path

import opyard
import pytest
from imported_profiles import import_profile, routes_of


def transfer_ms(machine: opyard.Machine, src: str, dst: str, num_bytes: int) -> float:
    """The makespan of an op of no time on `src` whose output one on `dst` reads."""
    ops = [
        {"name": "send", "type": "Task", "outputs": [{"bytes": num_bytes}], "seconds": {"*": 0}},
        {"name": "receive", "type": "Task", "inputs": [[0, 0]], "seconds": {"*": 1e-3}},
    ]
    graph = opyard.Graph.from_dict({"format": "opyard-graph/1", "name": "pair", "ops": ops})
    names = machine.device_names
    plan = opyard.Plan([names.index(src), names.index(dst)])
    result = opyard.simulate(graph, machine, plan)
    assert result["outcome"] == "completed"
    return result["makespan_s"] * 1e3 - 1


@pytest.fixture
def hosts(tmp_path, capfd):
    return import_profile("three_hosts.simgrid.xml", tmp_path, capfd)


def test_a_transfer_takes_latency_and_bytes_over_the_bandwidth(hosts):
    # 3 us + 4 kB / 2 MB/s = 2.003 ms; 40 Mb/s are 5 MB/s: 0.5 ms + 0.8 ms.
    assert transfer_ms(hosts.machine, "left", "middle", 4000) == pytest.approx(2.003, abs=1e-9)
    assert transfer_ms(hosts.machine, "middle", "right", 4000) == pytest.approx(1.3, abs=1e-9)


def test_a_way_over_two_links_adds_latencies_and_has_the_least_bandwidth(hosts):
    # 3 us + 0.5 ms + 4 kB / 2 MB/s, in both directions.
    for src, dst in (("left", "right"), ("right", "left")):
        assert transfer_ms(hosts.machine, src, dst, 4000) == pytest.approx(2.503, abs=1e-9)


def test_an_op_takes_its_flops_over_the_speed_of_all_cores(hosts):
    ops = [{"name": "work", "type": "Task", "flops": 6e6}]
    graph = opyard.Graph.from_dict({"format": "opyard-graph/1", "name": "one", "ops": ops})
    # 6 MFLOP: 2 GFLOP/s take 3 ms, two cores of 5 take 0.6 ms.
    times = [opyard.simulate(graph, hosts.machine, opyard.Plan([i]))["makespan_s"] for i in (0, 2)]
    assert times == [pytest.approx(3e-3), pytest.approx(0.6e-3)]


def test_a_host_that_forwards_has_a_switch_of_its_own(hosts):
    # left to right passes "middle", whose own traffic has the same ends.
    # 2 MB/s and 40 Mb/s, together.
    assert hosts.link("middle-access") == (["middle", "middle-switch"], 0.007, 0)
    assert "routes" not in hosts.values  # the links make a tree


def test_what_has_no_counterpart_is_named(hosts):
    for what in ("<config>", "loop: on no way between two hosts", "all cores of a host"):
        assert what in hosts.warnings


def test_clusters_are_stars_around_their_backbone(tmp_path, capfd):
    clusters = import_profile("clusters.simgrid.xml", tmp_path, capfd)
    assert clusters.machine.device_names == [
        *("a0.org", "a1.org", "a2.org", "b0.org", "b4.org", "b5.org")
    ]
    routes = routes_of(clusters.path, capfd)
    assert routes["a0.org", "a2.org"] == (0.125, 110)  # 50 + 10 + 50 us
    assert routes["b5.org", "b0.org"] == (0.25, 40)
    assert routes["b4.org", "a1.org"] == (0.125, 580)  # 20 + 500 + 10 + 50 us
    assert "routes" not in clusters.values


def test_transfers_share_a_backbone_and_not_the_two_ways_of_a_private_link(tmp_path, capfd):
    clusters = import_profile("clusters.simgrid.xml", tmp_path, capfd).values
    duplex = {link["name"]: link["duplex"] for link in clusters["links"]}
    assert duplex["a-backbone"] == duplex["wide"] == "half"
    assert duplex["a-link-0"] == duplex["b-link-4"] == "full"
    assert clusters["transfers"] == {"sharing": "fair"}


RING = """<platform version="4.1"><zone id="z" routing="{routing}">
<host id="a" speed="2Gf"/><host id="b" speed="2Gf"/><host id="c" speed="2Gf"/>
<link id="ab" bandwidth="1GBps" latency="2us"/>
<link id="bc" bandwidth="2GBps" latency="3us"/>
{more}
<route src="a" dst="b"><link_ctn id="ab"/></route>
<route src="b" dst="c"><link_ctn id="bc"/></route>
</zone></platform>"""


@pytest.mark.parametrize("routing", ["Floyd", "Dijkstra"])
def test_shortest_ways_pass_hosts(routing, tmp_path, capfd):
    path = tmp_path / "ring.xml"
    path.write_text(RING.format(routing=routing, more=""))
    chain = import_profile(path, tmp_path, capfd)
    assert routes_of(chain.path, capfd)["a", "c"] == (1.0, 5)


def test_links_that_routes_pass_against_each_other_have_a_bus_for_either_way(tmp_path, capfd):
    # "ab" leads from a to b and, by the last route, from c over b's end to a: both ways up.
    path = tmp_path / "ring.xml"
    more = '<route src="c" dst="a"><link_ctn id="bc"/><link_ctn id="ab"/></route>'
    path.write_text(RING.format(routing="Full", more=more))
    ring = import_profile(path, tmp_path, capfd)
    duplex = {link["name"]: link["duplex"] for link in ring.values["links"]}
    assert duplex["ab-up"] == duplex["ab-down"] == "half"
    routes = routes_of(ring.path, capfd)
    assert routes["c", "a"] == routes["a", "c"] == (1.0, 5)
    assert routes["a", "b"] == (1.0, 2)


def test_routes_of_one_direction_may_differ(tmp_path, capfd):
    path = tmp_path / "pair.xml"
    path.write_text(
        '<platform version="4.1"><zone id="z" routing="Full">'
        '<host id="a" speed="2Gf"/><host id="b" speed="2Gf"/>'
        '<link id="x" bandwidth="1GBps" latency="2us"/><link id="y" bandwidth="3GBps"/>'
        '<route src="a" dst="b" symmetrical="NO"><link_ctn id="x"/></route>'
        '<route src="b" dst="a" symmetrical="NO"><link_ctn id="y"/></route>'
        "</zone></platform>"
    )
    pair = import_profile(path, tmp_path, capfd)
    assert routes_of(pair.path, capfd) == {("a", "b"): (1.0, 2), ("b", "a"): (3.0, 0)}


def test_a_thousand_hosts_are_read_in_seconds(tmp_path, capfd):
    path = Path(tmp_path / "big.xml")
    path.write_text(
        '<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-999" '
        'speed="2Gf" bw="1GBps" lat="5us"/></platform>'
    )
    big = import_profile(path, tmp_path, capfd)
    assert big.machine.num_devices == 1000
