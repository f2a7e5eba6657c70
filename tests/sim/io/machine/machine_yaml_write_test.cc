#include "sim/io/machine/machine_yaml_write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/sim/io/machine/profile_files.h"
#include "tests/support/random_cases.h"

namespace opyard::sim {
namespace {

using opyard::testing::kSmallMachine;
using opyard::testing::ProfileFiles;
using ::testing::HasSubstr;

HardwareProfile ReadBack(const HardwareProfile& machine) {
  return *ReadMachineText(WriteMachineText(machine), "text");
}

// Field by field, so that a field that the writer forgets is missed here.
void ExpectEqual(const Device& found, const Device& expected) {
  EXPECT_EQ(found.name, expected.name);
  EXPECT_EQ(found.type, expected.type);
  EXPECT_EQ(found.memory, expected.memory);
  EXPECT_TRUE(CostAlike(found, expected)) << expected.name;
  EXPECT_EQ(found.copy_overhead_s, expected.copy_overhead_s) << expected.name;
  EXPECT_EQ(found.copy_bandwidth_bytes_per_s, expected.copy_bandwidth_bytes_per_s) << expected.name;
  EXPECT_EQ(found.memory_pool, expected.memory_pool) << expected.name;
}

void ExpectEqual(const Link& found, const Link& expected) {
  EXPECT_EQ(found.name, expected.name);
  EXPECT_EQ(found.between, expected.between);
  EXPECT_EQ(found.bandwidth_bytes_per_s, expected.bandwidth_bytes_per_s);
  EXPECT_EQ(found.latency, expected.latency);
  EXPECT_EQ(found.duplex, expected.duplex);
}

void ExpectEqual(const ExplicitRoute& found, const ExplicitRoute& expected) {
  EXPECT_EQ(found.from, expected.from);
  EXPECT_EQ(found.to, expected.to);
  EXPECT_EQ(found.links, expected.links);
  EXPECT_EQ(found.latency, expected.latency);
}

template <class T>
void ExpectEqual(const std::vector<T>& found, const std::vector<T>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ExpectEqual(found[i], expected[i]);
  }
}

void ExpectEqualRules(const HardwareProfile& found, const HardwareProfile& expected) {
  EXPECT_EQ(found.rules, expected.rules);
  EXPECT_EQ(found.execution.dispatch, expected.execution.dispatch);
  EXPECT_EQ(found.execution.gap_after_op, expected.execution.gap_after_op);
  EXPECT_EQ(found.execution.trailing_gaps_count, expected.execution.trailing_gaps_count);
  EXPECT_EQ(found.fusion.max_ops, expected.fusion.max_ops);
  EXPECT_EQ(found.fusion.max_depth_span, expected.fusion.max_depth_span);
  EXPECT_EQ(found.transfers.sharing, expected.transfers.sharing);
  EXPECT_EQ(found.transfers.channels.links, expected.transfers.channels.links);
  EXPECT_EQ(found.transfers.channels.egress, expected.transfers.channels.egress);
  EXPECT_EQ(found.transfers.channels.ingress, expected.transfers.channels.ingress);
  EXPECT_EQ(found.transfers.channels.pair, expected.transfers.channels.pair);
  EXPECT_EQ(found.transfers.one_per, expected.transfers.one_per);
  EXPECT_EQ(found.transfers.gap_after, expected.transfers.gap_after);
  EXPECT_EQ(found.memory.on_exceed, expected.memory.on_exceed);
  EXPECT_EQ(found.memory.reserve, expected.memory.reserve);
}

void ExpectEqual(const HardwareProfile& found, const HardwareProfile& expected) {
  EXPECT_EQ(found.name, expected.name);
  EXPECT_EQ(found.memory_pools, expected.memory_pools);
  EXPECT_EQ(found.switches, expected.switches);
  ExpectEqual(found.devices, expected.devices);
  ExpectEqual(found.links, expected.links);
  ExpectEqual(found.routes, expected.routes);
  ExpectEqualRules(found, expected);
}

TEST(WriteMachineTextTest, EveryShippedMachineIsReadBackEqual) {
  for (const ShippedProfile& shipped : ListShippedProfiles()) {
    if (shipped.is_machine) {
      SCOPED_TRACE(shipped.name);
      const auto machine = LoadMachine(shipped.name);
      ExpectEqual(ReadBack(*machine), *machine);
    }
  }
}

TEST(WriteMachineTextTest, RandomMachinesAreReadBackEqual) {
  const opyard::testing::CaseLimits limits{.rules = {.gaps = true,
                                                     .dispatch = true,
                                                     .per_output = true,
                                                     .per_edge = true,
                                                     .fair = true,
                                                     .copy_overheads = true,
                                                     .memory_pools = true},
                                           .fuses = true};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    HardwareProfile machine =
        opyard::testing::MakeRandomCase(seed, opyard::testing::Values::kContinuous, limits)
            .hardware;
    for (Device& device : machine.devices) {
      // The efficiencies that no file can take away are not among what random machines have.
      device.cost.classes = DefaultCostParameters(device.kind).classes;
    }
    ExpectEqual(ReadBack(machine), machine);
  }
}

TEST(WriteMachineTextTest, EveryParameterOfADeviceIsReadBackEqual) {
  const auto machine = ProfileFiles(R"(schema_version: 1
name: "12"
devices:
  - name: host
    type: small
    kind: cpu                 # keeps the 0.9 of a gpu for types without a sustained fraction
    launch_overhead: 3.3 us
    peak_flops: {f16: 0.1 TFLOP/s}
    cost:
      sustained_fraction: {f32: 0.7}
      softmax_q: 2.7
      memory_efficiency: 0.3
      l2: {size: 3 MiB, bandwidth: 1.1 TB/s}
      gemm: {f32: {e_max: 0.77, h_m: 1e-3, h_n: 7, h_k: 11}}
      conv: {f16: {backward_data: {h_k: 13, winograd_gain: 0.3}}}
      rnn: {step_overhead: 1.7 us}
      classes: {reduction: {efficiency: 0.2, memory_efficiency: 0.4}}
)")
                           .ReadMachine();
  ExpectEqual(ReadBack(*machine.machine), *machine.machine);
}

TEST(WriteMachineTextTest, EveryBlockOfKernelsIsReadBackEqual) {
  const auto machine = ProfileFiles(R"(schema_version: 1
name: kernels
devices:
  - name: gpu
    type: small
    cost:
      compute_units: 132
      l2: {size: 50 MiB, bandwidth: 5.5 TB/s}
      gemm:
        f16:
          tiles: [256x128, 64x64]
          h_tile: 16.5
          h_k: 140
          split_overhead: 2.9 us
          overhead: 0.4 us
          softmax_q: 2.6
          memory_efficiency: 0.83
          l2_bandwidth: 4.1 TB/s
          quantize_bandwidth: 663 GB/s
      conv: {f32: {forward: {stride_loss: 0.4, overhead: 1.5 us, softmax_q: 1.5}}}
      attention: {f16: {backward: {e_max: 0.31, h_m: 3, h_n: 5, h_k: 7, l2_bandwidth: 2 TB/s}}}
      rnn:
        step_overhead: 3 us
        f32: {backward_weight: {h_m: 10, h_n: 20, step_overhead: 0.3 us, weight_bandwidth: 1 TB/s}}
      types: {Add: {traffic: 0.55}, "aten::mul": {traffic: 1.7, overhead: 0.2 us}}
)")
                           .ReadMachine();
  const CostParameters& cost = machine.machine->devices[0].cost;
  EXPECT_EQ(cost.gemm.at(DType::kF16).tiling.tiles.front(), (Tile{.rows = 256, .columns = 128}));
  EXPECT_EQ(cost.rnn.at(DType::kF32)[2].step_overhead_s, 0.3e-6);
  EXPECT_DOUBLE_EQ(cost.types.at("aten::mul").overhead_s, 0.2e-6);
  ExpectEqual(ReadBack(*machine.machine), *machine.machine);
}

TEST(WriteMachineTextTest, EveryRuleIsReadBackEqual) {
  const auto machine = ProfileFiles(kSmallMachine + R"(routes:
  - {from: gpu0, to: gpu1, via: [up, down], latency: 4000000.000000000321 s}
  - {from: gpu1, to: gpu0, via: [down, up]}
rules: placeto
execution: {dispatch: 4 us, gap_after_op: 5.7 us, trailing_gaps_count: true}
fusion: {max_ops: 8, max_depth_span: 0}
transfers: {sharing: serial, channels: [egress, pair], one_per: output, gap_after: 25 us}
memory: {on_exceed: wait, reserve: 0.05}
)")
                           .ReadMachine();
  ExpectEqual(ReadBack(*machine.machine), *machine.machine);
}

// Beyond 2^51 ps seconds are coarser than picoseconds: such a time is that of some double.
TEST(WriteMachineTextTest, TheLongestTimesAreReadBackToThePicosecond) {
  Rng rng(7);
  HardwareProfile machine = *ProfileFiles(kSmallMachine).ReadMachine().machine;
  for (int i = 0; i < 2000; ++i) {
    Link link = machine.links.front();
    link.name = "long" + std::to_string(i);
    link.latency = SimTime::FromSeconds(rng.Uniform() * kLargestSeconds);
    machine.links.push_back(link);
  }
  ExpectEqual(ReadBack(machine).links, machine.links);
}

TEST(ReadMachineTextTest, ADeviceThatIsNotWholeIsRefused) {
  std::string error;
  try {
    static_cast<void>(ReadMachineText(
        "schema_version: 1\nname: m\ndevices:\n  - {name: a, type: p100-pcie-16gb}\n", "place"));
  } catch (const InputError& refused) {
    error = refused.what();
  }
  EXPECT_THAT(error, HasSubstr("place:4:5: key \"memory\" is missing"));
}

}  // namespace
}  // namespace opyard::sim
