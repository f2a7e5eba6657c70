// Malformed shorthands of links and `nodes` are refused with the place and what was expected.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/io/machine/profile_files.h"

namespace opyard::sim {
namespace {

using opyard::testing::MachineOf;
using opyard::testing::ProfileFiles;
using ::testing::HasSubstr;

// Entries of `links` behind four devices and a host, in line 7, or of the machine itself.
struct BadTopology {
  const char* name;
  const char* links;
  const char* problem;  // the message begins so
};

class BadTopologyTest : public ::testing::TestWithParam<BadTopology> {};

TEST_P(BadTopologyTest, IsRefusedWithPlaceAndExpectation) {
  const std::string problems =
      ProfileFiles(MachineOf(4, std::string("  - ") + GetParam().links + "\n")).MachineProblems();
  EXPECT_THAT(problems, ::testing::StartsWith(GetParam().problem));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    BadTopologyTest,
    ::testing::Values(
        BadTopology{"UnknownTopology",
                    "{name: x, topology: mesh, between: [d*], bandwidth: 1 GB/s}",
                    "m.yaml:7:25: found \"mesh\", expected one of all-to-all, ring, switch, "
                    "cube-mesh, torus, pcie-tree, fat-tree"},
        BadTopology{"NoName",
                    "{topology: ring, between: [d*], bandwidth: 1 GB/s}",
                    "m.yaml:7:5: key \"name\" is missing from link"},
        BadTopology{"NoMembers",
                    "{name: x, topology: ring, bandwidth: 1 GB/s}",
                    "m.yaml:7:5: key \"between\" is missing from link"},
        BadTopology{"OneMember",
                    "{name: x, topology: ring, between: [d0], bandwidth: 1 GB/s}",
                    "m.yaml:7:40: found fewer than two nodes"},
        BadTopology{"UnknownMember",
                    "{name: x, topology: ring, between: [d0, e1], bandwidth: 1 GB/s}",
                    "m.yaml:7:45: found \"e1\", expected a device or switch"},
        BadTopology{"PatternWithoutMatch",
                    "{name: x, topology: ring, between: [gpu*], bandwidth: 1 GB/s}",
                    "m.yaml:7:41: found \"gpu*\", expected a device or switch"},
        BadTopology{"MemberTwice",
                    "{name: x, topology: ring, between: [d*, d3], bandwidth: 1 GB/s}",
                    "m.yaml:7:45: \"d3\" stands twice in this link"},
        BadTopology{"NoBandwidth",
                    "{name: x, topology: ring, between: [d*]}",
                    "m.yaml:7:5: key \"bandwidth\" is missing from link"},
        BadTopology{"WrongDuplex",
                    "{name: x, topology: ring, between: [d*], bandwidth: 1 GB/s, duplex: both}",
                    "m.yaml:7:73: found \"both\", expected one of full, half"},
        BadTopology{"ShapeOfARing",
                    "{name: x, topology: ring, between: [d*], bandwidth: 1 GB/s, shape: [4]}",
                    "m.yaml:7:65: unknown key \"shape\" in link"},
        BadTopology{"TorusWithoutShape",
                    "{name: x, topology: torus, between: [d*], bandwidth: 1 GB/s}",
                    "m.yaml:7:5: key \"shape\" is missing from link"},
        BadTopology{"TorusOfAnotherSize",
                    "{name: x, topology: torus, between: [d*], bandwidth: 1 GB/s, shape: [2, 3]}",
                    "m.yaml:7:41: found 4 nodes, expected 6: 2 x 3"},
        BadTopology{"EmptyShape",
                    "{name: x, topology: torus, between: [d*], bandwidth: 1 GB/s, shape: []}",
                    "m.yaml:7:73: found 0 extents, expected 1 to 8"},
        BadTopology{"ZeroExtent",
                    "{name: x, topology: torus, between: [d*], bandwidth: 1 GB/s, shape: [0, 4]}",
                    "m.yaml:7:74: found \"0\", expected a whole number from 1 to 4096"},
        BadTopology{"HugeShape",
                    "{name: x, topology: torus, between: [d*], bandwidth: 1 GB/s, "
                    "shape: [4096, 4096, 4096, 4096, 4096, 4096]}",
                    "m.yaml:7:41: found 4 nodes, expected fewer than 4096 x 4096"},
        BadTopology{"ShapeAsText",
                    "{name: x, topology: torus, between: [d*], bandwidth: 1 GB/s, shape: 2x2}",
                    "m.yaml:7:73: found \"2x2\", expected a list of extents"},
        BadTopology{"TreeWithoutHost",
                    "{name: x, topology: pcie-tree, between: [d*], bandwidth: 1 GB/s, "
                    "shape: [2, 2]}",
                    "m.yaml:7:45: found 4 nodes, expected 5: 2 x 2 and the host"},
        BadTopology{"UplinkWithoutBandwidth",
                    "{name: x, topology: fat-tree, between: [d*], bandwidth: 1 GB/s, "
                    "shape: [2, 2], uplink: {latency: 1 us}}",
                    "m.yaml:7:92: key \"bandwidth\" is missing from uplink"},
        BadTopology{"UplinkOfASwitch",
                    "{name: x, topology: switch, between: [d*], bandwidth: 1 GB/s, "
                    "uplink: {bandwidth: 1 GB/s}}",
                    "m.yaml:7:67: unknown key \"uplink\" in link"},
        BadTopology{"CubeMeshOfFour",
                    "{name: x, topology: cube-mesh, between: [d*], bandwidth: 1 GB/s}",
                    "m.yaml:7:45: found 4 nodes, expected 8 for a cube mesh"},
        BadTopology{"SwitchNamedAsDevice",
                    "{name: host, topology: switch, between: [d*], bandwidth: 1 GB/s}",
                    "m.yaml:7:5: the name \"host\" stands for two devices or switches"},
        BadTopology{"RingWithoutOtherWays",
                    "{name: x, topology: ring, between: [d*, host], bandwidth: 1 GB/s}",
                    "m.yaml:7:3: no route from d0 to d2, d0 to d3, d1 to d3 and others"}),
    [](const auto& bad) { return std::string(bad.param.name); });

// A machine file's `nodes`, which begin in line 3.
class BadNodesTest : public ::testing::TestWithParam<BadTopology> {};

TEST_P(BadNodesTest, IsRefusedWithPlaceAndExpectation) {
  const std::string text = std::string("schema_version: 1\nname: m\n") + GetParam().links + "\n";
  EXPECT_THAT(ProfileFiles(text).MachineProblems(), ::testing::StartsWith(GetParam().problem));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    BadNodesTest,
    ::testing::Values(
        BadTopology{"NoDevicesAtAll",
                    "nodes: []",
                    "m.yaml:1:1: the machine has no devices, expected at least one"},
        BadTopology{
            "NotAList", "nodes: {a: 1}", "m.yaml:3:8: found a map, expected a list of nodes"},
        BadTopology{
            "NoDevices", "nodes: [{name: n}]", "m.yaml:3:9: key \"devices\" is missing from node"},
        BadTopology{"ZeroCount",
                    "nodes: [{name: n, count: 0, devices: [{name: d, type: small}]}]",
                    "m.yaml:3:26: found \"0\", expected a whole number from 1 to 1024"},
        BadTopology{"UnknownKey",
                    "nodes: [{name: n, devices: [{name: d, type: small}], rules: opyard}]",
                    "m.yaml:3:54: unknown key \"rules\" in node"},
        BadTopology{"TwoOfOneName",
                    "nodes: [{name: n0, devices: [{name: d, type: small}]},\n"
                    " {name: n, count: 1, devices: [{name: e, type: small}]}]",
                    "m.yaml:4:2: two nodes are called \"n0\""},
        BadTopology{"TooManyDevices",
                    "nodes: [{name: n, count: 1000, devices: [{name: d, type: small, count: 2}]}]",
                    "m.yaml:3:9: the machine has more than 1024 devices"},
        BadTopology{"TooManyLinks",
                    "nodes: [{name: n, count: 20, devices: [{name: d, type: small, count: 50}],\n"
                    " links: [{name: x, topology: all-to-all, between: [d*], bandwidth: 1 GB/s}]}]",
                    "m.yaml:3:9: the machine has more than 16384 links"},
        BadTopology{"LinkToTheOutside",
                    "devices: [{name: head, type: small}]\n"
                    "nodes: [{name: n, devices: [{name: d, type: small}],\n"
                    " links: [{name: x, between: [d, head], bandwidth: 1 GB/s}]}]",
                    "m.yaml:5:33: found \"head\", expected a device or switch"},
        BadTopology{"NodesApart",
                    "nodes: [{name: n, count: 2, devices: [{name: d, type: small}]}]",
                    "m.yaml:1:1: no route from n0.d to n1.d, n1.d to n0.d"}),
    [](const auto& bad) { return std::string(bad.param.name); });

TEST(BadNodesTest, NamesThatGrowTooLongAreRefused) {
  const std::string name(70, 'n');
  const std::string text = "schema_version: 1\nname: m\nnodes: [{name: " + name +
                           ", devices: [{name: " + name + ", type: small}]}]\n";
  EXPECT_THAT(ProfileFiles(text).MachineProblems(), HasSubstr("has more than 128 bytes"));
}

TEST(BadNodesTest, AllPairsOfAThousandAreTooManyLinks) {
  EXPECT_THAT(
      ProfileFiles(
          MachineOf(1000,
                    "  - {name: x, topology: all-to-all, between: [d*], bandwidth: 1 GB/s}\n"))
          .MachineProblems(),
      HasSubstr("m.yaml:7:46: links between all 1000 nodes are too many"));
}

}  // namespace
}  // namespace opyard::sim
