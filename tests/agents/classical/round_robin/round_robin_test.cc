#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using testing::MakeProblem;
using testing::Outcome;
using testing::RunAgent;

std::vector<sim::OpSpec> ChainOf(std::int64_t length) {
  std::vector<sim::OpSpec> ops{TimedOp("op0", 2)};
  for (std::int64_t i = 1; i < length; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 2 + i, {{i - 1, 0}}));
  }
  return ops;
}

std::vector<std::int32_t> DevicesOf(const Outcome& outcome) {
  std::vector<std::int32_t> devices;
  for (const DeviceId device : outcome.best->plan.placement) {
    devices.push_back(device.value);
  }
  return devices;
}

TEST(RoundRobinTest, DealsTheGroupsOutInTopologicalOrder) {
  const Outcome outcome =
      RunAgent("round_robin", MakeProblem(MakeGraph(ChainOf(5)), MeshMachine(3)), {});
  EXPECT_EQ(outcome.num_evaluations, 1);
  EXPECT_EQ(DevicesOf(outcome), (std::vector<std::int32_t>{0, 1, 2, 0, 1}));
}

TEST(RoundRobinTest, BeginsWithTheDeviceThatItIsGiven) {
  Options second;
  second.Set("first", std::int64_t{1});
  const Outcome outcome = RunAgent(
      "round_robin", MakeProblem(MakeGraph(ChainOf(5)), MeshMachine(3)), {.options = second});
  EXPECT_EQ(DevicesOf(outcome), (std::vector<std::int32_t>{1, 2, 0, 1, 2}));
}

TEST(RoundRobinTest, AGroupThatMayNotBeThereStillTakesItsTurn) {
  std::vector<sim::OpSpec> ops = ChainOf(4);
  ops[1].device_kinds = sim::DeviceKindSet::None();
  ops[1].device_kinds.Insert(sim::DeviceKind::kCpu);
  const Outcome outcome =
      RunAgent("round_robin", MakeProblem(MakeGraph(ops), testing::MeshWithCpu(2)), {});
  // Device 2 is the host; op 1 was to go to device 1.
  EXPECT_EQ(DevicesOf(outcome), (std::vector<std::int32_t>{0, 2, 0, 1}));
}

}  // namespace
}  // namespace opyard::agents
