#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::Microseconds;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using testing::MakeProblem;
using testing::RunAgent;

TEST(SptTest, RunsTheShorterOfTwoReadyOpsFirst) {
  // One GPU and the CPU, where `end` waits for `short`. First come: long 5, short 7, transfer 8,
  // end 19. Shortest first: short 2, transfer 3, end 14.
  std::vector<sim::OpSpec> ops{
      TimedOp("long", 5), TimedOp("short", 2, {}, {1000}), TimedOp("end", 11, {{1, 0}})};
  ops[2].device_kinds = sim::DeviceKindSet::None();
  ops[2].device_kinds.Insert(sim::DeviceKind::kCpu);
  const auto problem = MakeProblem(MakeGraph(ops), testing::MeshWithCpu(1), testing::kScheduling);
  const testing::Outcome outcome = RunAgent("spt_aware", problem, {});
  EXPECT_EQ(outcome.num_evaluations, 1);
  EXPECT_EQ(outcome.best->evaluation.result.makespan, Microseconds(14));
}

TEST(SptTest, ADurationIsThatOnTheDeviceOfTheOp) {
  // d0 is where all runs: `a` takes 3 us there and 1 on d1, `b` 2 and 9.
  const auto problem =
      MakeProblem(MakeGraph({testing::UnevenOp("a", {3, 1}), testing::UnevenOp("b", {2, 9})}),
                  opyard::testing::MeshMachine(2),
                  testing::kScheduling);
  const testing::Outcome outcome = RunAgent("spt_aware", problem, {});
  EXPECT_THAT(outcome.best->plan.op_priority, ElementsAre(0, 1));
}

TEST(SptTest, OrdersThePlacementsThatItMakesWherePlacementIsATask) {
  // Two independent chains go to two devices; as published all stays on the first.
  const auto problem = MakeProblem(
      MakeGraph(
          {TimedOp("a", 5), TimedOp("b", 7), TimedOp("c", 3, {{0, 0}}), TimedOp("d", 2, {{1, 0}})}),
      opyard::testing::MeshMachine(2),
      testing::kBoth);
  EXPECT_EQ(RunAgent("spt_aware", problem, {}).best->evaluation.result.makespan, Microseconds(9));
  const testing::Outcome published = RunAgent("spt", problem, {});
  EXPECT_EQ(published.num_evaluations, 1);
  EXPECT_EQ(published.best->plan.placement, problem->default_placement());
}

}  // namespace
}  // namespace opyard::agents
