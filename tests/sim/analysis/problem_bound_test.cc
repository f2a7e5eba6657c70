// Problem bounds: hand-made cases, and properties on random problems under every rule.
#include "sim/analysis/problem_bound/problem_bound.h"

#include <gtest/gtest.h>

#include "sim/analysis/problem_bound/work_windows.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/support/agreement.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

SimTime BoundOf(const sim::OpGraph& graph,
                const sim::HardwareProfile& machine,
                sim::BoundedPlans plans = {}) {
  return sim::ProblemBound(
      graph, machine, *CostsOf(graph, machine), sim::RouteTable(machine), plans);
}

// An op that runs on the CPU only.
sim::OpSpec CpuOp(sim::OpSpec op) {
  op.device_kinds = sim::DeviceKindSet::None();
  op.device_kinds.Insert(sim::DeviceKind::kCpu);
  return op;
}

TEST(ProblemBoundTest, WorkIsSharedByTheDevices) {
  const auto graph = MakeGraph({TimedOp("a", 3), TimedOp("b", 5), TimedOp("c", 7)});
  // 3 + 5 + 7 on two devices, to a picosecond.
  EXPECT_EQ(BoundOf(*graph, MeshMachine(2)), SimTime{7'500'000});
  EXPECT_EQ(BoundOf(*graph, MeshMachine(1)), Microseconds(15));
}

TEST(ProblemBoundTest, OnlyPathsCountWhereDevicesRunOpsSideBySide) {
  const auto graph = MakeGraph({TimedOp("a", 3), TimedOp("b", 5), TimedOp("c", 7, {{0, 0}})});
  EXPECT_EQ(BoundOf(*graph, MeshMachine(1)), Microseconds(15));
  EXPECT_EQ(BoundOf(*graph, MeshMachine(1), {.one_op_at_a_time = false}), Microseconds(10));
}

TEST(ProblemBoundTest, APathBeginsAtItsReleases) {
  sim::OpSpec late = TimedOp("b", 2);
  late.release = Microseconds(11);
  EXPECT_EQ(BoundOf(*MakeGraph({TimedOp("a", 3), late}), MeshMachine(2)), Microseconds(13));
}

TEST(ProblemBoundTest, DevicesIdleBeforeTheFirstAndAfterTheLastFork) {
  // a, then four ops of 3 side by side, then f: 2 + 4 · 3 / 2 + 5.
  const auto graph = MakeGraph({TimedOp("a", 2),
                                TimedOp("b", 3, {{0, 0}}),
                                TimedOp("c", 3, {{0, 0}}),
                                TimedOp("d", 3, {{0, 0}}),
                                TimedOp("e", 3, {{0, 0}}),
                                TimedOp("f", 5, {{1, 0}, {2, 0}, {3, 0}, {4, 0}})});
  sim::HardwareProfile machine = MeshMachine(2);
  machine.rules = sim::Rules::kRegal;  // transfers take no time
  EXPECT_EQ(BoundOf(*graph, machine), Microseconds(13));
}

TEST(ProblemBoundTest, AJoinWaitsForATransferOrForBothOpsOnOneDevice) {
  // c starts at 4 + 5 with both on its device, at 4 + 3 (b's, sent at 4) or 5 + 2 (a's) without.
  const auto graph = MakeGraph({TimedOp("a", 5, {}, {2000}),
                                TimedOp("b", 4, {}, {3000}),
                                TimedOp("c", 1, {{0, 0}, {1, 0}})});
  EXPECT_EQ(BoundOf(*graph, MeshMachine(2)), Microseconds(8));
  // With transfers of 20 it is best to have all on one device.
  const auto far = MakeGraph({TimedOp("a", 5, {}, {20'000}),
                              TimedOp("b", 4, {}, {20'000}),
                              TimedOp("c", 1, {{0, 0}, {1, 0}})});
  EXPECT_EQ(BoundOf(*far, MeshMachine(2)), Microseconds(10));
}

TEST(ProblemBoundTest, TensorsMoveBetweenOpsWithoutADeviceInCommon) {
  sim::HardwareProfile machine = MeshMachine(2, 7);
  machine.devices[1].kind = sim::DeviceKind::kCpu;
  sim::OpSpec on_gpu = TimedOp("a", 5, {}, {2000});
  on_gpu.device_kinds = sim::DeviceKindSet::None();
  on_gpu.device_kinds.Insert(sim::DeviceKind::kGpu);
  // 5, the latency of 7 and 2000 bytes, 3; the control edge takes its latency.
  EXPECT_EQ(BoundOf(*MakeGraph({on_gpu, CpuOp(TimedOp("b", 3, {{0, 0}}))}), machine),
            Microseconds(17));
  sim::OpSpec after = CpuOp(TimedOp("b", 3));
  after.control_inputs = {0};
  EXPECT_EQ(BoundOf(*MakeGraph({on_gpu, after}), machine), Microseconds(15));
}

TEST(ProblemBoundTest, SlowDevicesTakeTheShareOfWorkThatSuitsThem) {
  // Ten ops, 2 on the GPU and 18 on the CPU: 9 and 1 take 18 each. Shared evenly it would be 10.
  std::vector<sim::OpSpec> ops;
  for (int i = 0; i < 10; ++i) {
    sim::OpSpec op = TimedOp("op" + std::to_string(i), 2);
    op.seconds = {{.where = "d0", .seconds = 2e-6}, {.where = "d1", .seconds = 18e-6}};
    ops.push_back(op);
  }
  sim::HardwareProfile machine = MeshMachine(2);
  machine.devices[1].kind = sim::DeviceKind::kCpu;
  const SimTime bound = BoundOf(*MakeGraph(ops), machine);
  EXPECT_LE(bound, Microseconds(18));
  EXPECT_GE(bound.picoseconds, 17'900'000);  // weights are found by a search
}

TEST(ProblemBoundTest, OpsOfALabelShareADevice) {
  std::vector<sim::OpSpec> ops{TimedOp("a", 2), TimedOp("b", 3), TimedOp("c", 5, {{0, 0}})};
  ops[1].colocation = ops[2].colocation = "w";
  // b runs while a does, elsewhere, then c: 3 + 5; a transfer of 1000 bytes ends at 2 + 1.
  EXPECT_EQ(BoundOf(*MakeGraph(ops), MeshMachine(2)), Microseconds(8));
  ops[0].colocation = "w";
  EXPECT_EQ(BoundOf(*MakeGraph(ops), MeshMachine(2)), Microseconds(10));
}

TEST(ProblemBoundTest, AKernelPaysTheLaunchOfItsHeavyOpAndTheTrafficThatStaysOutside) {
  sim::HardwareProfile machine = MeshMachine(1);
  machine.devices[0].launch_overhead_s = 3e-6;
  machine.devices[0].memory_bandwidth_bytes_per_s = 1e9;
  machine.devices[0].cost.memory_efficiency = 1.0;
  for (auto& of_class : machine.devices[0].cost.classes) {
    of_class.memory_efficiency = 1.0;
  }
  const sim::OpSpec variable = VariableOp("w", 4000);
  const auto relu = [](const std::string& name, std::int64_t input) {
    return sim::OpSpec{
        .name = name, .type = "Relu", .inputs = {{input, 0}}, .outputs = {{.bytes = Bytes{4000}}}};
  };
  const auto graph = MakeGraph({variable, relu("a", 0), relu("b", 1)});
  // Alone each reads and writes 4 µs and has a launch of 3. Fused they read 4000 bytes, which an
  // opaque op makes, and write as many that nobody reads: 3 + 8.
  EXPECT_EQ(BoundOf(*graph, machine), Microseconds(22));
  EXPECT_EQ(BoundOf(*graph, machine, {.kernels = sim::KernelsOfPlans::kFused}), Microseconds(11));
}

TEST(OneDeviceBoundTest, IsJacksonsPreemptiveSchedule) {
  // a from 0 to 2; b, whose tail is longer, from 2 to 5; a again to 7, or with its tail to 8.
  EXPECT_EQ(sim::OneDeviceBound({{.head_ps = 0, .time_ps = 4, .tail_ps = 1},
                                 {.head_ps = 2, .time_ps = 3, .tail_ps = 2}}),
            8);
  EXPECT_EQ(sim::OneDeviceBound({{.head_ps = 6, .time_ps = 4, .tail_ps = 1}}), 11);
}

// No plan of a random problem that completes is faster than any of its bounds.
void ExpectBounded(const RandomCase& made, std::uint64_t seed) {
  const EngineAndReference both(made.graph, made.hardware);
  sim::Workspace workspace;
  const sim::SimResult result = both.simulator().Run(made.plan, workspace);
  if (result.outcome != sim::Outcome::kCompleted) {
    return;
  }
  const auto kernels = made.plan.fusion_priority.empty() ? sim::KernelsOfPlans::kSingleOps
                                                         : sim::KernelsOfPlans::kFused;
  const SimTime bound = BoundOf(*made.graph, made.hardware, {.kernels = kernels});
  const SimTime of_paths =
      BoundOf(*made.graph, made.hardware, {.kernels = kernels, .one_op_at_a_time = false});
  EXPECT_GE(result.makespan, bound) << "seed " << seed;
  EXPECT_GE(bound, of_paths) << "seed " << seed;
  EXPECT_GE(bound, BoundOf(*made.graph, made.hardware, {.kernels = sim::KernelsOfPlans::kFused}))
      << "seed " << seed;
}

constexpr std::uint64_t kNumCases = 400;

TEST(ProblemBoundPropertyTest, NoPlanIsFasterUnderAnyRules) {
  for (std::uint64_t seed = 0; seed < kNumCases; ++seed) {
    const auto values = seed % 2 == 0 ? Values::kRound : Values::kContinuous;
    ExpectBounded(MakeRandomCase(seed, values, {.most_ops = 20, .rules = kAllRules}), seed);
  }
}

TEST(ProblemBoundPropertyTest, NoPlanThatFusesIsFasterUnderAnyRules) {
  for (std::uint64_t seed = 0; seed < 2 * kNumCases; ++seed) {
    const auto values = seed % 2 == 0 ? Values::kRound : Values::kContinuous;
    ExpectBounded(MakeRandomCase(seed,
                                 values,
                                 {.most_ops = 30,
                                  .most_devices = seed % 3 == 0 ? 1 : 3,
                                  .rules = kAllRules,
                                  .fuses = true}),
                  seed);
  }
}

TEST(ProblemBoundPropertyTest, NoPlanThatWaitsForMemoryIsFaster) {
  for (std::uint64_t seed = 0; seed < kNumCases; ++seed) {
    RandomCase made = MakeRandomCase(seed, Values::kRound, {.most_ops = 20, .most_devices = 3});
    Rng rng(seed);
    TightenMemory(rng, sim::OnExceed::kWait, made);
    ExpectBounded(made, seed);
  }
}

TEST(ProblemBoundPropertyTest, NoPlanIsFasterUnderTheRulesOfPlaceto) {
  const auto machine = sim::LoadMachine("placeto-4");
  for (std::uint64_t seed = 0; seed < kNumCases; ++seed) {
    Rng rng(seed);
    RandomCase made{.graph = RandomGraph(rng, Values::kContinuous, {.most_ops = 20}, *machine),
                    .hardware = *machine,
                    .plan = {}};
    made.plan = RandomPlan(rng, *made.graph, *machine);
    made.plan.transfer_priority.clear();
    ExpectBounded(made, seed);
  }
}

// Devices of a class of their own each: the search of weights and transfers between classes.
TEST(ProblemBoundPropertyTest, NoPlanIsFasterOnUnlikeDevices) {
  for (std::uint64_t seed = 0; seed < kNumCases; ++seed) {
    Rng rng(seed);
    sim::HardwareProfile machine = MeshMachine(2 + seed % 9, 1);  // classes by kind from 9 on
    std::vector<sim::OpSpec> ops;
    for (std::int64_t i = 0; i < 12; ++i) {
      sim::OpSpec op = TimedOp("op" + std::to_string(i), 1);
      op.seconds.clear();
      for (const sim::Device& device : machine.devices) {
        op.seconds.push_back(
            {.where = device.name, .seconds = 1e-6 * static_cast<double>(rng.Between(1, 20))});
      }
      for (std::int32_t j = 0; j < i; ++j) {
        if (rng.Below(4) == 0) {
          op.inputs.push_back({j, 0});
        }
      }
      ops.push_back(op);
    }
    RandomCase made{.graph = MakeGraph(ops), .hardware = machine, .plan = {}};
    for (int i = 0; i < 5; ++i) {
      made.plan = RandomPlan(rng, *made.graph, machine);
      ExpectBounded(made, seed);
    }
  }
}

}  // namespace
}  // namespace opyard::testing
