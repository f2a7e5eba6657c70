#include <gtest/gtest.h>

#include "sim/plan/plan.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using testing::MakeProblem;
using testing::Outcome;
using testing::RunAgent;
using testing::UnevenOp;

TEST(SingleDeviceTest, TriesEachDeviceAndKeepsTheFastest) {
  const auto problem = MakeProblem(
      MakeGraph({UnevenOp("a", {7, 3, 5}), UnevenOp("b", {2, 2, 2}, {{0, 0}})}), MeshMachine(3));
  const Outcome outcome = RunAgent("single_device", problem, {});
  EXPECT_EQ(outcome.num_evaluations, 3);
  EXPECT_EQ(outcome.best->plan.placement, sim::OpPlacement(2, DeviceId(std::int32_t{1})));
  EXPECT_EQ(outcome.best->evaluation.result.makespan, Microseconds(5));
}

TEST(SingleDeviceTest, FailsWhereNothingFits) {
  std::vector<sim::OpSpec> ops{UnevenOp("a", {2, 2}), UnevenOp("b", {3, 3})};
  ops[0].param_bytes = Bytes{600'000};
  ops[1].param_bytes = Bytes{600'000};
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(2));  // 1 MB each
  const Outcome outcome = RunAgent("single_device", problem, {});
  EXPECT_EQ(outcome.num_failures, 2);
  EXPECT_FALSE(outcome.best->evaluation.is_feasible());
}

TEST(SingleDeviceTest, HostOpsStayOnTheHost) {
  std::vector<sim::OpSpec> ops{UnevenOp("load", {2, 2, 2}), UnevenOp("a", {3, 3, 30}, {{0, 0}})};
  ops[0].device_kinds = sim::DeviceKindSet::None();
  ops[0].device_kinds.Insert(sim::DeviceKind::kCpu);
  const auto problem = MakeProblem(MakeGraph(ops), testing::MeshWithCpu(2));
  const Outcome outcome = RunAgent("single_device", problem, {});
  // 2 on the host + 1 transfer + 3 on the first GPU; the host alone would take 32.
  EXPECT_EQ(outcome.num_evaluations, 3);
  EXPECT_EQ(outcome.best->evaluation.result.makespan, Microseconds(6));
  EXPECT_EQ(outcome.best->plan.placement[0], DeviceId(std::int32_t{2}));
}

}  // namespace
}  // namespace opyard::agents
