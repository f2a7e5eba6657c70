#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/io/machine/profile_files.h"

namespace opyard::sim {
namespace {

using opyard::testing::kSmallDevice;
using opyard::testing::kSmallMachine;
using opyard::testing::ProfileFiles;

// One malformed file: the small machine with `found` replaced by `replacement`, and what must be
// said.
struct BadMachine {
  const char* name;
  const char* found;
  const char* replacement;
  const char* problem;  // a line of the message begins so
};

std::string Replace(std::string text, const std::string& found, const std::string& replacement) {
  const std::size_t at = text.find(found);
  EXPECT_NE(at, std::string::npos) << found;
  return text.replace(at, found.size(), replacement);
}

// True if a line of `text` begins with `start`.
bool HasLine(const std::string& text, const std::string& start) {
  return ("\n" + text).find("\n" + start) != std::string::npos;
}

class BadMachineTest : public ::testing::TestWithParam<BadMachine> {};

TEST_P(BadMachineTest, IsRefusedWithPlaceAndExpectation) {
  const BadMachine& bad = GetParam();
  const std::string text = Replace(kSmallMachine, bad.found, bad.replacement);
  const std::string problems = ProfileFiles(text).MachineProblems();
  EXPECT_TRUE(HasLine(problems, bad.problem)) << problems;
}

INSTANTIATE_TEST_SUITE_P(
    All,
    BadMachineTest,
    ::testing::Values(
        BadMachine{
            "UnknownKey",
            "switches: [hub]",
            "switchs: [hub]",
            "m.yaml:5:1: unknown key \"switchs\" in machine file; did you mean \"switches\"?"},
        BadMachine{"WrongVersion",
                   "schema_version: 1",
                   "schema_version: 2",
                   "m.yaml:1:17: found \"2\", expected a whole number from 1 to 1"},
        BadMachine{"MissingVersion",
                   "schema_version: 1\n",
                   "",
                   "m.yaml:1:1: key \"schema_version\" is missing from machine file"},
        BadMachine{"MissingName",
                   "name: pair\n",
                   "",
                   "m.yaml:1:1: key \"name\" is missing from machine file"},
        BadMachine{"NumberAsName",
                   "name: pair",
                   "name: 12",
                   "m.yaml:2:7: found \"12\", expected text (write it in quotes"},
        BadMachine{"DuplicateKey",
                   "switches: [hub]",
                   "name: again",
                   "m.yaml:5:1: key \"name\" stands twice in this map"},
        BadMachine{"DevicesAsMap",
                   "  - {name: gpu, type: small, count: 2}",
                   "  {gpu: small}",
                   "m.yaml:4:3: found a map, expected a list of devices"},
        BadMachine{"UnknownType",
                   "type: small",
                   "type: smal",
                   "m.yaml:4:23: found \"smal\", expected a device type; did you mean \"small\"?"},
        BadMachine{"TypeAsPath",
                   "type: small",
                   "type: ../small",
                   "m.yaml:4:23: found \"../small\", expected a name"},
        BadMachine{"ZeroCount",
                   "count: 2",
                   "count: 0",
                   "m.yaml:4:37: found \"0\", expected a whole number from 1 to 65536"},
        BadMachine{"HugeCount",
                   "count: 2",
                   "count: 65537",
                   "m.yaml:4:37: found \"65537\", expected a whole number from 1 to 65536"},
        BadMachine{"CountAsText",
                   "count: 2",
                   "count: two",
                   "m.yaml:4:37: found \"two\", expected a whole number"},
        BadMachine{"UnknownOverride",
                   "count: 2",
                   "count: 2, colour: red",
                   "m.yaml:4:40: unknown key \"colour\" in device"},
        BadMachine{
            "ZeroMemory", "count: 2", "count: 2, memory: 0 B", "m.yaml:4:48: memory is zero"},
        BadMachine{"DuplicateDevice",
                   "count: 2}",
                   "count: 2}\n  - {name: gpu1, type: small}",
                   "m.yaml:5:12: the name \"gpu1\" stands for two devices or switches"},
        BadMachine{"SwitchNamedAsDevice",
                   "[hub]",
                   "[hub, gpu0]",
                   "m.yaml:5:17: the name \"gpu0\" stands for two devices or switches"},
        BadMachine{"UnknownNode",
                   "[gpu0, hub]",
                   "[gpu9, hub]",
                   "m.yaml:7:26: found \"gpu9\", expected a device or switch"},
        BadMachine{"LinkToItself",
                   "[gpu0, hub]",
                   "[gpu0, gpu0]",
                   "m.yaml:7:32: \"gpu0\" stands twice in this link"},
        BadMachine{
            "LinkOfOneNode", "[gpu0, hub]", "[gpu0]", "m.yaml:7:25: found fewer than two nodes"},
        BadMachine{"FullDuplexBus",
                   "[gpu0, hub]",
                   "[gpu0, hub, gpu1]",
                   "m.yaml:7:25: a link of more than two nodes is a bus, expected `duplex: half`"},
        BadMachine{
            "DuplicateLink", "name: down", "name: up", "m.yaml:8:5: two links are called \"up\""},
        BadMachine{"BareBandwidth",
                   "10 GB/s",
                   "10",
                   "m.yaml:7:49: a bare number \"10\", expected a number with its unit"},
        BadMachine{"ZeroBandwidth", "10 GB/s", "0 GB/s", "m.yaml:7:49: bandwidth is zero"},
        BadMachine{
            "NegativeBandwidth", "10 GB/s", "-10 GB/s", "m.yaml:7:49: \"-10 GB/s\" is negative"},
        BadMachine{"BandwidthWithoutTime",
                   "10 GB/s",
                   "10 GB",
                   "m.yaml:7:49: unit \"GB\" in \"10 GB\": a rate is per second: write GB/s"},
        BadMachine{
            "LatencyInMinutes", "2 us", "2 min", "m.yaml:7:67: unit \"min\" in \"2 min\": write s"},
        BadMachine{"LatencyTooLong", "2 us", "1e9 s", "m.yaml:7:67: \"1e9 s\" is too long a time"},
        BadMachine{"MissingBandwidth",
                   "bandwidth: 10 GB/s, ",
                   "",
                   "m.yaml:7:5: key \"bandwidth\" is missing from link"},
        BadMachine{"WrongDuplex",
                   "2 us}",
                   "2 us, duplex: both}",
                   "m.yaml:7:81: found \"both\", expected one of full, half"},
        BadMachine{"NoRoute",
                   "[hub, gpu1]",
                   "[hub, gpu0]",
                   "m.yaml:7:3: no route from gpu0 to gpu1, gpu1 to gpu0"},
        BadMachine{"ASequenceAtTheTop",
                   "schema_version: 1",
                   "- schema_version: 1",
                   "m.yaml:2:1: found more after the end of the document"}),
    [](const auto& bad) { return std::string(bad.param.name); });

// A block appended to the small machine; it begins on line 9.
class BadBlockTest
    : public ::testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

TEST_P(BadBlockTest, IsRefusedWithPlaceAndExpectation) {
  const auto& [name, block, problem] = GetParam();
  const std::string problems = ProfileFiles(kSmallMachine + block).MachineProblems();
  EXPECT_TRUE(HasLine(problems, problem)) << problems;
}

INSTANTIATE_TEST_SUITE_P(
    All,
    BadBlockTest,
    ::testing::Values(
        std::tuple("Rules",
                   "rules: place\n",
                   "m.yaml:9:8: found \"place\", expected one of opyard, placeto, regal; did you "
                   "mean \"placeto\"?"),
        std::tuple("Sharing",
                   "transfers: {sharing: equal}\n",
                   "m.yaml:9:22: found \"equal\", expected one of serial, fair, none"),
        std::tuple("Channel",
                   "transfers: {channels: [links, hub]}\n",
                   "m.yaml:9:31: found \"hub\", expected one of links, egress, ingress, pair"),
        std::tuple("NoChannel", "transfers: {channels: []}\n", "m.yaml:9:23: no channels"),
        std::tuple("ChannelTwice",
                   "transfers: {channels: [pair, pair]}\n",
                   "m.yaml:9:30: channel \"pair\" stands twice"),
        std::tuple("FairOutput",
                   "transfers: {sharing: fair, one_per: output}\n",
                   "m.yaml:9:12: found `one_per: output` with `sharing: fair`"),
        std::tuple("Reserve",
                   "memory: {reserve: 1}\n",
                   "m.yaml:9:19: found \"1\", expected a number from 0 to 0.999"),
        std::tuple("ReserveNan",
                   "memory: {reserve: .nan}\n",
                   "m.yaml:9:19: found \".nan\", expected a number"),
        std::tuple("MaxOps",
                   "fusion: {max_ops: 0}\n",
                   "m.yaml:9:19: found \"0\", expected a whole number from 1"),
        std::tuple("Trailing",
                   "execution: {trailing_gaps_count: yes}\n",
                   "m.yaml:9:34: found \"yes\", expected true or false"),
        std::tuple("Dispatch", "execution: {dispatch: 0}\n", "m.yaml:9:23: a bare number \"0\""),
        std::tuple("RouteEnd",
                   "routes: [{from: gpu0, to: hub, via: [up]}]\n",
                   "m.yaml:9:27: found the switch \"hub\", expected a device"),
        std::tuple("RouteLink",
                   "routes: [{from: gpu0, to: gpu1, via: [upp]}]\n",
                   "m.yaml:9:39: found \"upp\", expected a link; did you mean \"up\"?"),
        std::tuple("RouteElsewhere",
                   "routes: [{from: gpu0, to: gpu1, via: [up]}]\n",
                   "m.yaml:9:10: these links do not lead from gpu0 to gpu1"),
        std::tuple("RouteTwice",
                   "routes: [{from: gpu0, to: gpu1, via: [up, down]}, {from: gpu0, to: gpu1, via: "
                   "[up, down]}]\n",
                   "m.yaml:9:51: two routes lead from gpu0 to gpu1"),
        std::tuple("RouteLinkTwice",
                   "routes: [{from: gpu0, to: gpu1, via: [up, up, down]}]\n",
                   "m.yaml:9:43: the route uses link \"up\" twice"),
        std::tuple("ProvenanceKey",
                   "provenance: {link: {kind: measured, source: x}}\n",
                   "m.yaml:9:14: provenance of \"link\", which is no key of this file; did you "
                   "mean \"links\"?"),
        std::tuple(
            "ProvenanceKind",
            "provenance: {links: {kind: tbd, source: x}}\n",
            "m.yaml:9:28: found \"tbd\", expected one of datasheet, measured, fitted, assumed"),
        std::tuple("ProvenanceSource",
                   "provenance: {links: {kind: measured}}\n",
                   "m.yaml:9:21: key \"source\" is missing"),
        std::tuple("Tag", "rules: !custom opyard\n", "m.yaml:9:8: found the tag"),
        std::tuple("Documents",
                   "---\nname: x\n",
                   "m.yaml:9:1: found more after the end of the document")),
    [](const auto& bad) { return std::string(std::get<0>(bad.param)); });

class BadDeviceTest : public ::testing::TestWithParam<BadMachine> {};

TEST_P(BadDeviceTest, IsRefusedWithPlaceAndExpectation) {
  const BadMachine& bad = GetParam();
  const ProfileFiles files(kSmallMachine, Replace(kSmallDevice, bad.found, bad.replacement));
  EXPECT_TRUE(HasLine(files.DeviceProblems(), bad.problem)) << files.DeviceProblems();
  EXPECT_TRUE(HasLine(files.MachineProblems(), bad.problem)) << files.MachineProblems();
}

INSTANTIATE_TEST_SUITE_P(
    All,
    BadDeviceTest,
    ::testing::Values(
        BadMachine{"Kind",
                   "kind: gpu",
                   "kind: asic",
                   "small.yaml:3:7: found \"asic\", expected one of gpu, cpu, tpu, other"},
        BadMachine{"MissingMemory",
                   "memory: 2 GiB\n",
                   "",
                   "small.yaml:1:1: key \"memory\" is missing from device file"},
        BadMachine{"MemoryAsRate",
                   "2 GiB",
                   "2 GiB/s",
                   "small.yaml:4:9: unknown unit \"GiB/s\" in \"2 GiB/s\""},
        BadMachine{"HugeMemory",
                   "2 GiB",
                   "1e30 GB",
                   "small.yaml:4:9: \"1e30 GB\" is more than 2^62 bytes"},
        BadMachine{"ZeroMemoryBandwidth",
                   "100 GB/s",
                   "0 B/s",
                   "small.yaml:5:19: memory bandwidth is zero"},
        BadMachine{"EmptyPeak", "{f32: 3 TFLOP/s}", "{}", "small.yaml:6:13: peak_flops is empty"},
        BadMachine{"UnknownDType",
                   "f32: 3",
                   "fp32: 3",
                   "small.yaml:6:14: unknown key \"fp32\" in peak_flops; did you mean \"f32\"?"},
        BadMachine{"ZeroPeak", "3 TFLOP/s", "0 TFLOP/s", "small.yaml:6:19: peak is zero"},
        BadMachine{"PeakInTops",
                   "3 TFLOP/s",
                   "3 TOPS",
                   "small.yaml:6:19: unit \"TOPS\" in \"3 TOPS\": write TFLOP/s"},
        BadMachine{"SoftmaxQ",
                   "name: small",
                   "name: small\ncost: {softmax_q: 0.5}",
                   "small.yaml:3:19: found \"0.5\", expected a number from 1 to 1e+06"},
        BadMachine{"EMax",
                   "name: small",
                   "name: small\ncost: {gemm: {f32: {e_max: 0}}}",
                   "small.yaml:3:28: found \"0\", expected a number from 1e-06 to 4"},
        BadMachine{"ConvPass",
                   "name: small",
                   "name: small\ncost: {conv: {f32: {fwd: {}}}}",
                   "small.yaml:3:21: unknown key \"fwd\" in conv block"},
        BadMachine{"CacheSize",
                   "name: small",
                   "name: small\ncost: {l2: {bandwidth: 1 TB/s}}",
                   "small.yaml:3:12: key \"size\" is missing from l2"},
        BadMachine{"Class",
                   "name: small",
                   "name: small\ncost: {classes: {big: {}}}",
                   "small.yaml:3:18: unknown key \"big\" in classes"}),
    [](const auto& bad) { return std::string(bad.param.name); });

TEST(MachineProblemsTest, AllProblemsOfAFileAreReportedAtOnce) {
  std::string text = Replace(kSmallMachine, "10 GB/s", "10");
  text = Replace(text, "3 us", "3");
  text = Replace(text, "switches", "swiches");
  const std::string problems = ProfileFiles(text).MachineProblems();
  EXPECT_TRUE(HasLine(problems, "m.yaml:5:1:")) << problems;
  EXPECT_TRUE(HasLine(problems, "m.yaml:7:49:")) << problems;
  EXPECT_TRUE(HasLine(problems, "m.yaml:8:")) << problems;
}

// How many of 1000 copies of a machine file with bytes changed, removed, repeated are refused.
// Others are accepted; nothing else may happen.
int NumRefusedMutations(const std::string& whole) {
  std::uint64_t state = 20;
  const auto sample = [&](std::size_t n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>((state >> 33) % n);
  };
  const std::string alphabet = "{}[]:,-&*!|>'\"%@`#? \n\t~0\\\x01\xff";
  const opyard::testing::TemporaryFolder folder;
  folder.Write("devices/small.yaml", kSmallDevice);
  int num_refused = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string text = whole;
    for (std::size_t edits = 1 + sample(3); edits > 0; --edits) {
      const std::size_t at = sample(text.size());
      switch (sample(4)) {
        case 0:
          text[at] = alphabet[sample(alphabet.size())];
          break;
        case 1:
          text[at] = static_cast<char>(sample(256));
          break;
        case 2:
          text.erase(at, 1 + sample(12));
          break;
        default:
          text.insert(at, text.substr(sample(text.size()), 1 + sample(12)));
      }
    }
    try {
      static_cast<void>(ReadMachineFile(folder.Write("machines/m.yaml", text)));
    } catch (const InputError&) {
      ++num_refused;
    }
  }
  return num_refused;
}

TEST(MachineProblemsTest, AThousandMutationsAreReadOrRefused) {
  const int num_refused =
      NumRefusedMutations(kSmallMachine +
                          "routes: [{from: gpu1, to: gpu0, via: [down, up], latency: 1 us}]\n"
                          "transfers: {sharing: serial, channels: [links, pair]}\n"
                          "provenance: {links: {kind: measured, source: \"x\"}}\n");
  EXPECT_GT(num_refused, 500);
  EXPECT_LT(num_refused, 1000);
}

TEST(MachineProblemsTest, AThousandMutationsOfTopologiesAndNodesAreReadOrRefused) {
  const int num_refused = NumRefusedMutations(R"(schema_version: 1
name: boxes
nodes:
  - name: n
    count: 2
    devices: [{name: gpu, type: small, count: 4}, {name: cpu, type: small}]
    links:
      - {name: t, topology: torus, between: [gpu*], shape: [2, 2], bandwidth: 4 GB/s}
      - {name: p, topology: pcie-tree, between: [cpu, gpu*], shape: [2, 2], bandwidth: 8 GB/s}
links:
  - {name: f, topology: fat-tree, between: [n*.p.*], shape: [2, 2], bandwidth: 4 GB/s}
  - {name: r, topology: ring, between: [n*.p], bandwidth: 4 GB/s, duplex: half}
)");
  EXPECT_GT(num_refused, 500);
  EXPECT_LT(num_refused, 1000);
}

}  // namespace
}  // namespace opyard::sim
