#include "sim/io/machine/profile_yaml.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/io/machine/profile_files.h"

namespace opyard::sim {
namespace {

using opyard::testing::kSmallDevice;
using opyard::testing::kSmallMachine;
using opyard::testing::ProfileFiles;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;

TEST(ReadMachineFileTest, DevicesAreNumberedAndTakeTheirTypesFields) {
  const MachineReading reading = ProfileFiles(kSmallMachine).ReadMachine();
  ASSERT_EQ(reading.machine->num_devices(), 2U);
  const Device& device = reading.machine->devices[1];
  EXPECT_EQ(device.name, "gpu1");
  EXPECT_EQ(device.type, "small");
  EXPECT_EQ(device.memory, Bytes{2'147'483'648});
  EXPECT_EQ(device.peak_flops_per_s.at(DType::kF32), 3e12);
  EXPECT_EQ(device.launch_overhead_s, 0.0);
}

TEST(ReadMachineFileTest, LinksHoldNodesInTheOrderOfTheFile) {
  const auto machine = ProfileFiles(kSmallMachine).ReadMachine().machine;
  ASSERT_EQ(machine->links.size(), 2U);
  EXPECT_EQ(machine->links[0].between, (std::vector<NodeIndex>{0, 2}));
  EXPECT_EQ(machine->links[0].bandwidth_bytes_per_s, 10e9);
  EXPECT_EQ(machine->links[1].latency, SimTime{3'000'000});
  EXPECT_EQ(machine->links[1].duplex, Duplex::kFull);
}

TEST(ReadMachineFileTest, TheRulesHaveTheDocumentedDefaults) {
  const auto machine = ProfileFiles(kSmallMachine).ReadMachine().machine;
  EXPECT_EQ(machine->rules, Rules::kOpyard);
  EXPECT_EQ(machine->execution.dispatch, SimTime{});
  EXPECT_FALSE(machine->execution.trailing_gaps_count);
  EXPECT_EQ(machine->fusion.max_ops, 64);
  EXPECT_EQ(machine->fusion.max_depth_span, 32);
  EXPECT_EQ(machine->transfers.sharing, Sharing::kSerial);
  EXPECT_TRUE(machine->transfers.channels.links && machine->transfers.channels.egress &&
              machine->transfers.channels.ingress && !machine->transfers.channels.pair);
  EXPECT_EQ(machine->transfers.one_per, OnePer::kDestination);
  EXPECT_EQ(machine->memory.on_exceed, OnExceed::kFail);
  EXPECT_EQ(machine->memory.reserve, 0.0);
}

TEST(ReadMachineFileTest, AllRulesAreRead) {
  const auto machine = ProfileFiles(kSmallMachine + R"(rules: placeto
execution: {dispatch: 4 us, gap_after_op: 5.7 us, trailing_gaps_count: true}
fusion: {max_ops: 8, max_depth_span: 0}
transfers: {sharing: serial, channels: [egress, pair], one_per: output, gap_after: 25 us}
memory: {on_exceed: wait, reserve: 0.05}
)")
                           .ReadMachine()
                           .machine;
  EXPECT_EQ(machine->rules, Rules::kPlaceto);
  EXPECT_EQ(machine->execution.dispatch, SimTime{4'000'000});
  EXPECT_EQ(machine->execution.gap_after_op, SimTime{5'700'000});
  EXPECT_TRUE(machine->execution.trailing_gaps_count);
  EXPECT_EQ(machine->fusion.max_ops, 8);
  EXPECT_EQ(machine->fusion.max_depth_span, 0);
  EXPECT_FALSE(machine->transfers.channels.links);
  EXPECT_TRUE(machine->transfers.channels.pair);
  EXPECT_EQ(machine->transfers.one_per, OnePer::kOutput);
  EXPECT_EQ(machine->transfers.gap_after, SimTime{25'000'000});
  EXPECT_EQ(machine->memory.on_exceed, OnExceed::kWait);
  EXPECT_EQ(machine->memory.reserve, 0.05);
}

TEST(ReadMachineFileTest, AMachineOverridesDeviceFieldsKeyByKey) {
  const auto machine = ProfileFiles(R"(schema_version: 1
name: one
devices:
  - name: gpu
    type: small
    memory: 1 GiB
    peak_flops: {f16: 6 TFLOP/s}
    cost: {classes: {heavy: {efficiency: 0.25}}, l2: {size: 4 MiB, bandwidth: 1 TB/s}}
links: []
)")
                           .ReadMachine()
                           .machine;
  const Device& device = machine->devices[0];
  EXPECT_EQ(device.name, "gpu");
  EXPECT_EQ(device.memory, Bytes{1 << 30});
  EXPECT_EQ(device.peak_flops_per_s.at(DType::kF32), 3e12);
  EXPECT_EQ(device.peak_flops_per_s.at(DType::kF16), 6e12);
  EXPECT_EQ(device.cost.classes[static_cast<std::size_t>(FusionClass::kHeavy)].efficiency, 0.25);
  EXPECT_EQ(device.cost.memory_efficiency, 0.8);  // still the default of GPUs
  EXPECT_EQ(device.cost.l2->size, Bytes{4 << 20});
}

TEST(ReadMachineFileTest, RoutesAreReadWithTheirLatency) {
  const auto machine = ProfileFiles(kSmallMachine + R"(routes:
  - {from: gpu1, to: gpu0, via: [down, up], latency: 1 us}
)")
                           .ReadMachine()
                           .machine;
  ASSERT_EQ(machine->routes.size(), 1U);
  EXPECT_EQ(machine->routes[0].from, DeviceId(1));
  EXPECT_EQ(machine->routes[0].links, (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(machine->routes[0].latency, SimTime{1'000'000});
}

TEST(ReadMachineFileTest, ABusJoinsMoreThanTwoNodes) {
  const auto machine = ProfileFiles(R"(schema_version: 1
name: bus
devices: [{name: gpu, type: small, count: 3}]
links: [{name: bus, between: [gpu0, gpu1, gpu2], bandwidth: 8 Gb/s, duplex: half}]
)")
                           .ReadMachine()
                           .machine;
  EXPECT_EQ(machine->links[0].between.size(), 3U);
  EXPECT_EQ(machine->links[0].bandwidth_bytes_per_s, 1e9);
  EXPECT_EQ(machine->links[0].duplex, Duplex::kHalf);
}

TEST(ReadMachineFileTest, UnderRegalRulesNoLinksAreNeeded) {
  const std::string text = R"(schema_version: 1
name: regal
devices: [{name: gpu, type: small, count: 2}]
rules: regal
)";
  EXPECT_EQ(ProfileFiles(text).MachineProblems(), "");
}

TEST(ReadMachineFileTest, ALargeMachineIsReadAndALargerOneRefused) {
  const auto text = [](int count) {
    return "schema_version: 1\nname: big\nswitches: [hub]\nrules: regal\ndevices:\n"
           "  - {name: gpu, type: small, count: " +
           std::to_string(count) + "}\n";
  };
  EXPECT_EQ(ProfileFiles(text(1024)).ReadMachine().machine->num_devices(), 1024U);
  EXPECT_THAT(ProfileFiles(text(1025)).MachineProblems(),
              HasSubstr("m.yaml:6:5: the machine has more than 1024 devices"));
  EXPECT_THAT(ProfileFiles(text(65536)).MachineProblems(), HasSubstr("more than 1024 devices"));
}

TEST(ReadMachineFileTest, TheProblemsOfADeviceFileNameThatFile) {
  const ProfileFiles files(kSmallMachine, kSmallDevice + "memroy: 3 GiB\n");
  EXPECT_EQ(files.MachineProblems(),
            "small.yaml:7:1: unknown key \"memroy\" in device file; did you mean \"memory\"?");
}

TEST(ReadMachineFileTest, DeviceTypesBesideTheMachineGoBeforeTheShippedOnes) {
  const opyard::testing::TemporaryFolder folder;
  folder.Write("devices/v100-sxm2-16gb.yaml", kSmallDevice);
  const auto path = folder.Write("machines/m.yaml",
                                 "schema_version: 1\nname: m\ndevices:\n"
                                 "  - {name: a, type: v100-sxm2-16gb}\n");
  EXPECT_EQ(ReadMachineFile(path).machine->devices[0].memory, Bytes{2'147'483'648});
}

TEST(ReadMachineFileTest, ShippedDeviceTypesAreFoundFromAnywhere) {
  const opyard::testing::TemporaryFolder folder;
  const auto path = folder.Write("m.yaml",
                                 "schema_version: 1\nname: m\ndevices:\n"
                                 "  - {name: a, type: v100-sxm2-16gb}\n");
  EXPECT_EQ(ReadMachineFile(path).machine->devices[0].memory, Bytes{std::int64_t{16} << 30});
}

TEST(ReadMachineFileTest, WarnsOfMissingAndAssumedProvenance) {
  const ProfileFiles missing(kSmallMachine);
  EXPECT_THAT(missing.ReadMachine().warnings,
              Contains(HasSubstr("m.yaml:7:3: no provenance says where \"links\" comes from")));
  const ProfileFiles assumed(kSmallMachine +
                             "provenance: {links: {kind: assumed, source: a guess}}\n");
  EXPECT_THAT(assumed.ReadMachine().warnings, Contains(HasSubstr("\"links\" is assumed: a guess")));
  const ProfileFiles measured(kSmallMachine +
                              "provenance: {links.up: {kind: measured, source: us, date: 2019}}\n");
  EXPECT_THAT(measured.ReadMachine().warnings, Each(HasSubstr("small.yaml:")));  // of its types
}

TEST(ReadMachineFileTest, WarnsOfImplausibleLinks) {
  const auto reading = ProfileFiles(R"(schema_version: 1
name: slow
devices: [{name: gpu, type: small, count: 2}]
switches: [alone]
links: [{name: a, between: [gpu0, gpu1], bandwidth: 2 kB/s, latency: 2 ms}]
provenance: {links: {kind: measured, source: x}}
)")
                           .ReadMachine();
  EXPECT_THAT(reading.warnings, Contains(HasSubstr("latency of link \"a\" is implausible")));
  EXPECT_THAT(reading.warnings, Contains(HasSubstr("bandwidth of link \"a\" is implausible")));
  EXPECT_THAT(reading.warnings, Contains(HasSubstr("switch \"alone\" has fewer than two links")));
}

TEST(ReadDeviceFileTest, TheCostBlockOfTheFormatsPageIsRead) {
  const DeviceReading reading = ProfileFiles(kSmallMachine, kSmallDevice + R"(launch_overhead: 5 us
copy_overhead: 60 us
copy_bandwidth: 3 GB/s
cost:
  sustained_fraction: {f32: 0.93}
  softmax_q: 3.5
  memory_efficiency: 0.85
  l2: {size: 6 MiB, bandwidth: 2.1 TB/s}
  gemm: {f32: {e_max: 0.95, h_m: 60, h_n: 70, h_k: 90}}
  conv: {f32: {backward_data: {e_max: 0.7, winograd_gain: 0.5}}}
  rnn: {step_overhead: 8 us}
  classes: {heavy: {efficiency: 0.6}, elementwise: {memory_efficiency: 0.75}}
provenance:
  cost: {kind: fitted, source: x, median_error: 0.07, software: y}
)")
                                    .ReadDevice();
  const CostParameters& cost = reading.device.device.cost;
  EXPECT_EQ(reading.device.device.launch_overhead_s, 5e-6);
  EXPECT_EQ(reading.device.device.copy_overhead_s, 60e-6);
  EXPECT_EQ(reading.device.device.copy_bandwidth_bytes_per_s, 3e9);
  EXPECT_EQ(cost.sustained_fraction.at(DType::kF32), 0.93);
  EXPECT_EQ(cost.softmax_q, 3.5);
  EXPECT_EQ(cost.l2->bandwidth_bytes_per_s, 2.1e12);
  EXPECT_EQ(cost.gemm.at(DType::kF32).efficiency,
            (GemmEfficiency{.e_max = 0.95, .h_m = 60, .h_n = 70, .h_k = 90}));
  EXPECT_EQ(cost.conv.at(DType::kF32)[1].winograd_gain, 0.5);
  EXPECT_EQ(cost.conv.at(DType::kF32)[0].gemm.e_max, 0.6);  // that of heavy ops
  EXPECT_EQ(cost.rnn_step_overhead_s, 8e-6);
  EXPECT_EQ(cost.classes[0].memory_efficiency, 0.75);
  ASSERT_EQ(reading.device.provenance.size(), 1U);
  EXPECT_EQ(reading.device.provenance[0].median_error, 0.07);
}

TEST(ReadDeviceFileTest, WarnsOfMissingCostAndImplausibleValues) {
  const DeviceReading reading = ProfileFiles(kSmallMachine, R"(schema_version: 1
name: odd
kind: gpu
memory: 1 MiB
memory_bandwidth: 1 kB/s
peak_flops: {f32: 1 MFLOP/s}
launch_overhead: 2 ms
)")
                                    .ReadDevice();
  for (const char* text : {"no cost parameters",
                           "memory of 1 MiB is implausible",
                           "memory bandwidth of 1 kB/s is implausible",
                           "peak of 1 MFLOP/s for f32 is implausible",
                           "launch overhead of 2 ms is implausible"}) {
    EXPECT_THAT(reading.warnings, Contains(HasSubstr(text)));
  }
}

TEST(LoadMachineTest, AnUnknownNameListsTheShippedMachinesThatBeginAlikeFirst) {
  try {
    static_cast<void>(LoadMachine("p100x2"));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("there are p100x2-pcie, a100x1-pcie, "));
  }
}

TEST(LoadMachineTest, APathIsTriedFromTheGivenFolder) {
  const opyard::testing::TemporaryFolder folder;
  folder.Write("x/machines/m.yaml", kSmallMachine);
  folder.Write("x/devices/small.yaml", kSmallDevice);
  EXPECT_EQ(LoadMachine("x/machines/m.yaml", folder.path())->name, "pair");
  EXPECT_THROW(static_cast<void>(LoadMachine("x/machines/m.yaml")), InputError);
}

TEST(ListShippedProfilesTest, IsSortedAndNamesFiles) {
  const std::vector<ShippedProfile> profiles = ListShippedProfiles();
  EXPECT_TRUE(std::ranges::is_sorted(profiles, {}, &ShippedProfile::name));
  for (const char* name : {"p100x2-pcie", "p100x4-pcie", "v100x8-dgx1", "v100-sxm2-16gb"}) {
    EXPECT_NE(std::ranges::find(profiles, name, &ShippedProfile::name), profiles.end()) << name;
  }
}

// A machine of one device, whose entry `tree.root` holds.
YamlTree OneDevice(const std::string& device) {
  Diagnostics diagnostics;
  YamlTree tree{
      .root = *ParseYaml(
          "schema_version: 1\nname: m\ndevices: [{name: d, " + device + "}]", "f", diagnostics)};
  tree.pointers.assign(4, "/here");  // by line
  return tree;
}

TEST(ReadMachineValuesTest, AWholeDeviceMayNameATypeThatIsNotShipped) {
  const auto machine = ReadMachineValues(OneDevice("type: mine, kind: gpu, memory: 2 GiB, "
                                                   "memory_bandwidth: 700 GB/s, "
                                                   "peak_flops: {f32: 9 TFLOP/s}"),
                                         "values")
                           .machine;
  EXPECT_EQ(machine->devices[0].type, "mine");
  EXPECT_EQ(machine->devices[0].memory, Bytes{2'147'483'648});
  EXPECT_EQ(machine->devices[0].cost.softmax_q, DefaultCostParameters(DeviceKind::kGpu).softmax_q);
}

TEST(ReadMachineValuesTest, ADeviceThatIsNotWholeNeedsAShippedType) {
  try {
    static_cast<void>(ReadMachineValues(OneDevice("type: mine, kind: gpu"), "values"));
    FAIL() << "expected an InputError";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("values#/here: found \"mine\", expected a device type"));
  }
}

}  // namespace
}  // namespace opyard::sim
