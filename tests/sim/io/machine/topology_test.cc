// The links that shorthands and repeated nodes stand for, one by one.
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/hardware/routes.h"
#include "sim/io/machine/machine_yaml_write.h"
#include "tests/sim/io/machine/profile_files.h"

namespace opyard::sim {
namespace {

using opyard::testing::MachineOf;
using opyard::testing::ProfileFiles;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

HardwareProfile Read(const std::string& text) {
  return *ProfileFiles(text).ReadMachine().machine;
}

// Without checks of routes: as those of REGAL, whose transfers use no links.
HardwareProfile ReadAlone(int count, const std::string& links) {
  return Read(MachineOf(count, links) + "rules: regal\n");
}

// "NAME FROM-TO GB/s us".
std::vector<std::string> LinksOf(const HardwareProfile& machine) {
  std::vector<std::string> texts;
  for (const Link& link : machine.links) {
    std::string text = link.name + " ";
    for (const NodeIndex end : link.between) {
      text += (text.back() == ' ' ? "" : "-") + machine.node_name(end);
    }
    texts.push_back(text + " " + std::to_string(std::lround(link.bandwidth_bytes_per_s / 1e9)) +
                    " " + std::to_string(std::lround(link.latency.seconds() * 1e6)));
  }
  return texts;
}

TEST(TopologyTest, AllToAllLinksEveryTwoMembersOnce) {
  const HardwareProfile machine = ReadAlone(
      3,
      "  - {name: nv, topology: all-to-all, between: [d*], bandwidth: 20 GB/s, latency: 3 us}\n");
  EXPECT_THAT(LinksOf(machine),
              ElementsAre("nv.d0-d1 d0-d1 20 3", "nv.d0-d2 d0-d2 20 3", "nv.d1-d2 d1-d2 20 3"));
  EXPECT_THAT(machine.switches, IsEmpty());
}

TEST(TopologyTest, ARingCloses) {
  const HardwareProfile machine =
      ReadAlone(3, "  - {name: r, topology: ring, between: [d*], bandwidth: 5 GB/s}\n");
  EXPECT_THAT(LinksOf(machine),
              ElementsAre("r.d0-d1 d0-d1 5 0", "r.d1-d2 d1-d2 5 0", "r.d2-d0 d2-d0 5 0"));
}

TEST(TopologyTest, ARingOfTwoIsOneLink) {
  const HardwareProfile machine =
      ReadAlone(2, "  - {name: r, topology: ring, between: [d1, d0], bandwidth: 5 GB/s}\n");
  EXPECT_THAT(LinksOf(machine), ElementsAre("r.d1-d0 d1-d0 5 0"));
}

TEST(TopologyTest, ASwitchIsCalledAsItsEntryAndMayBeNamedBelowIt) {
  const HardwareProfile machine = Read(MachineOf(
      2,
      "  - {name: plx, topology: switch, between: [d*], bandwidth: 10 GB/s, latency: 2 us}\n"
      "  - {name: up, between: [plx, host], bandwidth: 12 GB/s, latency: 5 us, duplex: half}\n"));
  EXPECT_THAT(machine.switches, ElementsAre("plx"));
  EXPECT_THAT(LinksOf(machine),
              ElementsAre("plx.d0 d0-plx 10 2", "plx.d1 d1-plx 10 2", "up plx-host 12 5"));
  EXPECT_EQ(machine.links[0].duplex, Duplex::kFull);
  EXPECT_EQ(machine.links[2].duplex, Duplex::kHalf);
}

TEST(TopologyTest, ACubeMeshHasTwoQuadsAndFourLinksBetween) {
  const HardwareProfile machine =
      ReadAlone(8,
                "  - {name: nv, topology: cube-mesh, between: [d*], bandwidth: 24 GB/s,\n"
                "     latency: 10 us, doubled: {bandwidth: 48 GB/s, latency: 9 us}}\n");
  // 6 pairs in each quad and 4 between; d0 has single links to d1 and d2, double ones to d3 and d4
  EXPECT_THAT(machine.links, SizeIs(16));
  const std::vector<std::string> links = LinksOf(machine);
  EXPECT_EQ(links[0], "nv.d0-d1 d0-d1 24 10");
  EXPECT_EQ(links[3], "nv.d0-d4 d0-d4 48 9");
  // 6 bricks at every device
  std::vector<double> bricks(8);
  for (const Link& link : machine.links) {
    for (const NodeIndex end : link.between) {
      bricks[static_cast<std::size_t>(end)] += link.bandwidth_bytes_per_s / 24e9;
    }
  }
  EXPECT_THAT(bricks, ::testing::Each(6.0));
}

TEST(TopologyTest, ACubeMeshWithoutDoubledPairsHasEqualLinks) {
  const HardwareProfile machine = ReadAlone(
      8, "  - {name: nv, topology: cube-mesh, between: [d*], bandwidth: 18 GB/s, latency: 2 us}\n");
  for (const Link& link : machine.links) {
    EXPECT_EQ(link.bandwidth_bytes_per_s, 18e9) << link.name;
  }
}

TEST(TopologyTest, ATorusHasARouterBesideEachMember) {
  const HardwareProfile machine = ReadAlone(
      6,
      "  - {name: ici, topology: torus, between: [d*], shape: [2, 3], bandwidth: 4 GB/s,\n"
      "     latency: 1 us}\n");
  EXPECT_THAT(machine.switches, SizeIs(6));
  EXPECT_EQ(machine.switches[4], "ici.d4");
  // a router has 1 link along the axis of 2 and 2 along the axis of 3: its member's link has 3 × 4
  const std::vector<std::string> links = LinksOf(machine);
  ASSERT_THAT(links, SizeIs(6 + 3 + 6));
  EXPECT_EQ(links[0], "ici.d0 d0-ici.d0 12 0");
  EXPECT_EQ(links[6], "ici.d0-d3 ici.d0-ici.d3 4 1");
  EXPECT_EQ(links[9], "ici.d0-d1 ici.d0-ici.d1 4 1");
  EXPECT_EQ(links[11], "ici.d2-d0 ici.d2-ici.d0 4 1");
}

TEST(TopologyTest, ATransferInATorusTakesTheShortWayAround) {
  const HardwareProfile machine = Read(
      "schema_version: 1\nname: m\ndevices: [{name: d, type: small, count: 5}]\nlinks:\n"
      "  - {name: ici, topology: torus, between: [d*], shape: [5], bandwidth: 4 GB/s,\n"
      "     latency: 1 us}\n");
  // d0 to d3: d0, its router, those of d4 and d3, d3; two hops of 1 us
  const RouteTable routes(machine);
  const Route* route = routes.Find(DeviceId{0}, DeviceId{3});
  EXPECT_THAT(route->hops, SizeIs(4));
  EXPECT_EQ(route->latency, SimTime{2'000'000});
  EXPECT_EQ(route->bandwidth_bytes_per_s, 4e9);
}

TEST(TopologyTest, APcieTreeHangsBelowItsHost) {
  const HardwareProfile machine =
      Read(MachineOf(4,
                     "  - {name: pcie, topology: pcie-tree, between: [host, d*], shape: [2, 2],\n"
                     "     bandwidth: 10 GB/s, latency: 2 us, uplink: {bandwidth: 12 GB/s}}\n"));
  EXPECT_THAT(machine.switches, ElementsAre("pcie", "pcie.0", "pcie.1"));
  EXPECT_THAT(LinksOf(machine),
              ElementsAre("pcie.host pcie-host 12 0",
                          "pcie.0 pcie.0-pcie 12 0",
                          "pcie.d0 d0-pcie.0 10 2",
                          "pcie.d1 d1-pcie.0 10 2",
                          "pcie.1 pcie.1-pcie 12 0",
                          "pcie.d2 d2-pcie.1 10 2",
                          "pcie.d3 d3-pcie.1 10 2"));
}

TEST(TopologyTest, LinksBetweenSwitchesOfAPcieTreeAreAsTheOthersIfNothingIsSaid) {
  const HardwareProfile machine =
      Read(MachineOf(2,
                     "  - {name: pcie, topology: pcie-tree, between: [host, d*], shape: [2],\n"
                     "     bandwidth: 10 GB/s, latency: 2 us}\n"));
  EXPECT_THAT(
      LinksOf(machine),
      ElementsAre("pcie.host pcie-host 10 2", "pcie.d0 d0-pcie 10 2", "pcie.d1 d1-pcie 10 2"));
}

TEST(TopologyTest, AFatTreeIsAsWideUpwardsAsDownwards) {
  const HardwareProfile machine =
      ReadAlone(6,
                "  - {name: ib, topology: fat-tree, between: [d*], shape: [2, 3],\n"
                "     bandwidth: 12 GB/s, latency: 1 us}\n");
  EXPECT_THAT(machine.switches, ElementsAre("ib", "ib.0", "ib.1"));
  const std::vector<std::string> links = LinksOf(machine);
  EXPECT_EQ(links[0], "ib.0 ib.0-ib 36 1");  // 3 members × 12 GB/s
  EXPECT_EQ(links[1], "ib.d0 d0-ib.0 12 1");
  EXPECT_THAT(links, SizeIs(8));
}

TEST(TopologyTest, AFatTreeMayBeOversubscribed) {
  const HardwareProfile machine =
      ReadAlone(4,
                "  - {name: ib, topology: fat-tree, between: [d*], shape: [2, 2],\n"
                "     bandwidth: 12 GB/s, uplink: {bandwidth: 8 GB/s, latency: 7 us}}\n");
  EXPECT_EQ(LinksOf(machine)[0], "ib.0 ib.0-ib 8 7");
}

TEST(TopologyTest, APatternNamesMatchingNodesInOrderAndNoDots) {
  const HardwareProfile machine = Read(
      "schema_version: 1\nname: m\ndevices:\n  - {name: d, type: small, count: 12}\n"
      "  - {name: d.x, type: small}\nlinks:\n"
      "  - {name: bus, between: [d1*, d.x, d0], bandwidth: 5 GB/s, duplex: half}\n"
      "rules: regal\n");
  EXPECT_THAT(LinksOf(machine), ElementsAre("bus d1-d10-d11-d.x-d0 5 0"));
}

TEST(TopologyTest, ANodeThatIsCalledLikeThePatternIsMeantAlone) {
  const HardwareProfile machine = Read(
      "schema_version: 1\nname: m\ndevices:\n  - {name: d, type: small, count: 3}\n"
      "  - {name: d*, type: small}\nlinks:\n"
      "  - {name: l, between: [d*, d0], bandwidth: 5 GB/s}\nrules: regal\n");
  EXPECT_THAT(LinksOf(machine), ElementsAre("l d*-d0 5 0"));
}

const std::string kTwoNodes = R"(schema_version: 1
name: m
nodes:
  - name: node
    count: 2
    devices: [{name: gpu, type: small, count: 2}, {name: cpu, type: small}]
    switches: [nic]
    links:
      - {name: nvs, topology: switch, between: [gpu*], bandwidth: 40 GB/s, latency: 2 us}
      - {name: pcie, between: [gpu*, cpu, nic], bandwidth: 10 GB/s, latency: 3 us, duplex: half}
links:
  - {name: ib, topology: switch, between: [node*.nic], bandwidth: 12 GB/s, latency: 1 us}
)";

TEST(ComputeNodesTest, StandOnceForEachOfTheirCount) {
  const HardwareProfile machine = Read(kTwoNodes);
  EXPECT_THAT(
      machine.DeviceNames(),
      ElementsAre(
          "node0.gpu0", "node0.gpu1", "node0.cpu", "node1.gpu0", "node1.gpu1", "node1.cpu"));
  EXPECT_THAT(machine.switches,
              ElementsAre("node0.nic", "node0.nvs", "node1.nic", "node1.nvs", "ib"));
  EXPECT_THAT(LinksOf(machine),
              ElementsAre("node0.nvs.gpu0 node0.gpu0-node0.nvs 40 2",
                          "node0.nvs.gpu1 node0.gpu1-node0.nvs 40 2",
                          "node0.pcie node0.gpu0-node0.gpu1-node0.cpu-node0.nic 10 3",
                          "node1.nvs.gpu0 node1.gpu0-node1.nvs 40 2",
                          "node1.nvs.gpu1 node1.gpu1-node1.nvs 40 2",
                          "node1.pcie node1.gpu0-node1.gpu1-node1.cpu-node1.nic 10 3",
                          "ib.node0.nic node0.nic-ib 12 1",
                          "ib.node1.nic node1.nic-ib 12 1"));
}

TEST(ComputeNodesTest, TransfersPassFromNodeToNode) {
  const HardwareProfile machine = Read(kTwoNodes);
  const RouteTable routes(machine);
  // pcie 3 us, ib 1 us twice, pcie 3 us
  const Route* route = routes.Find(DeviceId{1}, DeviceId{3});
  EXPECT_EQ(route->latency, SimTime{8'000'000});
  EXPECT_EQ(route->bandwidth_bytes_per_s, 10e9);
}

TEST(ComputeNodesTest, StandBehindDevicesAndSwitchesOfTheirOwn) {
  const HardwareProfile machine = Read(
      "schema_version: 1\nname: m\ndevices: [{name: head, type: small}]\nswitches: [hub]\n"
      "nodes:\n  - {name: n, devices: [{name: d, type: small}]}\n"
      "links:\n  - {name: l, between: [head, hub], bandwidth: 1 GB/s}\n"
      "  - {name: k, between: [n.d, hub], bandwidth: 1 GB/s}\n");
  EXPECT_THAT(machine.DeviceNames(), ElementsAre("head", "n.d"));
  EXPECT_THAT(machine.switches, ElementsAre("hub"));
}

TEST(ComputeNodesTest, RoutesNameTheirLinks) {
  const HardwareProfile machine =
      Read(kTwoNodes +
           "routes:\n  - {from: node0.gpu0, to: node0.gpu1, via: [node0.pcie], latency: 4 us}\n");
  EXPECT_EQ(RouteTable(machine).Find(DeviceId{0}, DeviceId{1})->latency, SimTime{4'000'000});
}

TEST(ComputeNodesTest, WrittenAndReadBackTheyAreTheSame) {
  const HardwareProfile machine = Read(kTwoNodes);
  const std::string text = WriteMachineText(machine);
  const auto again = ReadMachineText(text, "text");
  EXPECT_EQ(LinksOf(*again), LinksOf(machine));
  EXPECT_EQ(again->switches, machine.switches);
  EXPECT_EQ(WriteMachineText(*again), text);
}

TEST(ComputeNodesTest, ProblemsOfAnEntryAreReportedOnce) {
  std::string text = kTwoNodes;
  text.replace(text.find("40 GB/s"), 7, "40");
  EXPECT_EQ(
      ProfileFiles(text).MachineProblems(),
      "m.yaml:9:67: a bare number \"40\", expected a number with its unit, for example 900 GB/s");
}

// Odd, but legal.
std::vector<std::string> OdditiesOf(const std::string& text) {
  return ProfileFiles(text).ReadMachine().oddities;
}

TEST(TopologyTest, AnImplausibleFigureIsWarnedAboutOnceForAnEntry) {
  const auto oddities = OdditiesOf(MachineOf(
      3, "  - {name: x, topology: all-to-all, between: [d*, host], bandwidth: 400 GB/s}\n"));
  // the memory of "small" has 100 GB/s
  EXPECT_THAT(oddities,
              ElementsAre(HasSubstr("m.yaml:7:5: the bandwidth of link \"x.d0-d1\" is implausible "
                                    "(above twice that of the memory of \"d0\"")));
}

TEST(TopologyTest, ARouteFarFromItsWayBackIsWarnedAbout) {
  const std::string text = MachineOf(1,
                                     "  - {name: wide, between: [d0, host], bandwidth: 50 GB/s}\n"
                                     "  - {name: thin, between: [d0, host], bandwidth: 5 GB/s}\n"
                                     "routes: [{from: d0, to: host, via: [thin]}]\n");
  EXPECT_THAT(OdditiesOf(text),
              ElementsAre(HasSubstr("the route from d0 to host differs from the way back")));
}

TEST(TopologyTest, ARouteNearItsWayBackIsNotWarnedAbout) {
  const std::string text =
      MachineOf(1,
                "  - {name: wide, between: [d0, host], bandwidth: 50 GB/s, latency: 3 us}\n"
                "routes: [{from: d0, to: host, via: [wide], latency: 2 us}]\n");
  EXPECT_THAT(OdditiesOf(text), IsEmpty());
}

}  // namespace
}  // namespace opyard::sim
