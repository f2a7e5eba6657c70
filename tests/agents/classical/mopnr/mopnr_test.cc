#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/planning/estimates/ranks.h"
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

TEST(MopnrTest, CountsTheOpsOfTheLongestWayToASink) {
  // a → b → d, a → d, and c → d by a control edge: a has 3 left, b and c 2, d itself.
  std::vector<sim::OpSpec> ops{TimedOp("a", 2),
                               TimedOp("b", 7, {{0, 0}}),
                               TimedOp("c", 50),
                               TimedOp("d", 3, {{0, 0}, {1, 0}})};
  ops[3].control_inputs = {2};
  EXPECT_THAT(OpsToSink(*MakeGraph(ops)), ElementsAre(3.0, 2.0, 2.0, 1.0));
}

TEST(MopnrTest, RunsTheHeadOfTheChainWithMostOpsFirst) {
  // One GPU and the CPU, where the chain goes on. First come: early 5, start 7, transfer 8, then 3
  // and 4 make 15. By ops left: start 2, transfer 3, end 10.
  std::vector<sim::OpSpec> ops{TimedOp("early", 5),
                               TimedOp("start", 2, {}, {1000}),
                               TimedOp("middle", 3, {{1, 0}}, {1000}),
                               TimedOp("end", 4, {{2, 0}})};
  for (std::size_t i : {2U, 3U}) {
    ops[i].device_kinds = sim::DeviceKindSet::None();
    ops[i].device_kinds.Insert(sim::DeviceKind::kCpu);
  }
  const auto problem = MakeProblem(MakeGraph(ops), testing::MeshWithCpu(1), testing::kScheduling);
  const testing::Outcome outcome = RunAgent("mopnr_aware", problem, {});
  EXPECT_EQ(outcome.num_evaluations, 1);
  EXPECT_EQ(outcome.best->evaluation.result.makespan, Microseconds(10));
}

TEST(MopnrTest, OrdersThePlacementsThatItMakesWherePlacementIsATask) {
  // Two independent chains go to two devices; as published all stays on the first.
  const auto problem = MakeProblem(
      MakeGraph(
          {TimedOp("a", 5), TimedOp("b", 7), TimedOp("c", 3, {{0, 0}}), TimedOp("d", 2, {{1, 0}})}),
      opyard::testing::MeshMachine(2),
      testing::kBoth);
  EXPECT_EQ(RunAgent("mopnr_aware", problem, {}).best->evaluation.result.makespan, Microseconds(9));
  const testing::Outcome published = RunAgent("mopnr", problem, {});
  EXPECT_EQ(published.num_evaluations, 1);
  EXPECT_EQ(published.best->plan.placement, problem->default_placement());
}

}  // namespace
}  // namespace opyard::agents
