#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/classical/dps/dynamic_priorities.h"
#include "agents/planning/list_scheduling/list_schedule.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using testing::MakeProblem;
using testing::RunAgent;
using testing::UnevenOp;

// a (2 on d0, 6 on d1) → x (9), b (6) → y (5), z (5). Transfers take 1.
std::shared_ptr<const env::Problem> TwoChainsAndOne() {
  return MakeProblem(MakeGraph({UnevenOp("a", {2, 6}),
                                TimedOp("b", 6),
                                TimedOp("x", 9, {{0, 0}}),
                                TimedOp("y", 5, {{1, 0}}),
                                TimedOp("z", 5)}),
                     MeshMachine(2));
}

TEST(DpsTest, TheTimeOfAScheduledOpCountsWhereItIs) {
  // b-levels: a 4 + 1 + 9 = 14, b 6 + 1 + 5 = 12, x 9, y 5, z 5. a is first, and ends first on d0,
  // at 2; b on d1, at 6. The t-level of x is 2 + 1, not 4 + 1: its 9 − 3 = 6 is more than z's 5. x
  // ends on d0 at 11 (d1: 15), z on d1 at 11 (d0: 16). y, 5 − 7, is last: 16 on both.
  const auto problem = TwoChainsAndOne();
  const TransferTimes transfers(*problem);
  const OpTimes times = OpTimes::Alone(*problem);
  DynamicPriorities priorities(
      *problem, transfers, times, transfers.Mean(problem->devices()), problem->devices());
  std::vector<std::size_t> order;
  ListScheduler scheduler(*problem, transfers, {.gaps = GapRule::kAppend});
  const ListSchedule& schedule = scheduler.BuildBy([&](const ListSchedule& so_far) {
    const OpId next = priorities.Next(so_far);
    order.push_back(next.index());
    return next;
  });
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 4, 3));
  EXPECT_THAT(
      schedule.finish,
      ElementsAre(
          Microseconds(2), Microseconds(6), Microseconds(11), Microseconds(16), Microseconds(11)));
}

TEST(DpsTest, WherePlacementIsNoTaskLevelsFollowTheGivenPlacement) {
  // All on d0: order a, b, x, z, y as above.
  const auto problem =
      MakeProblem(TwoChainsAndOne()->shared_graph(), MeshMachine(2), testing::kScheduling);
  std::vector<sim::Plan> evaluated;
  env::Evaluator evaluator(problem, {.on_evaluation = [&](const sim::Plan& plan, const auto&) {
                             evaluated.push_back(plan);
                           }});
  Rng rng(1);
  testing::AgentsUnderTest().Make("dps", {})->Search(*problem, evaluator, rng, {});
  ASSERT_EQ(evaluated.size(), 2U);
  EXPECT_TRUE(evaluated[0].op_priority.empty());
  EXPECT_THAT(evaluated[1].op_priority, ElementsAre(4, 3, 2, 0, 1));
}

}  // namespace
}  // namespace opyard::agents
