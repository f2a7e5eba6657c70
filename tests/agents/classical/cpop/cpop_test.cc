#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/classical/cpop/critical_path.h"
#include "agents/planning/estimates/ranks.h"
#include "agents/planning/list_scheduling/list_schedule.h"
#include "agents/planning/list_scheduling/priority_rule.h"
#include "agents/planning/list_scheduling/ready_list_order.h"
#include "tests/agents/classical/paper_example.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::MakeProblem;
using testing::RunAgent;
using testing::UnevenOp;

// CPOP on the example of its paper.
struct PaperSchedule {
  std::shared_ptr<const env::Problem> problem = testing::PaperExample();
  TransferTimes transfers{*problem};
  TransferTimes::Line mean = transfers.Mean(problem->devices());
  std::vector<double> priority = CpopPriorities(*problem, mean, problem->devices());
  std::vector<OpId> path = CriticalPath(problem->graph(), priority);
};

TEST(CpopTest, DownwardRanksOfThePapersExampleAreThosePrinted) {
  const PaperSchedule example;
  std::vector<double> down_us;
  for (const double seconds :
       DownwardRanks(*example.problem, example.mean, example.problem->devices())) {
    down_us.push_back(seconds * 1e6);
  }
  // Mean costs: t1 13, t2 16.67, t3 14.33, t4 12.67, t5 11.67, t6 12.67, t7 11, t8 10, t9 16.67.
  // t2 … t6: 13 + 18, 12, 9, 11, 14. t7: 25 + 14.33 + 23. t8: the greatest of 31 + 16.67 + 19,
  // 22 + 12.67 + 27 and 27 + 12.67 + 15. t9: of 31 + 16.67 + 16, 22 + 12.67 + 23 and 24 + 11.67 +
  // 13. t10: of 62.33 + 11 + 17, 66.67 + 10 + 11 and 63.67 + 16.67 + 13.
  EXPECT_THAT(down_us,
              ElementsAre(DoubleNear(0.0, 5e-3),
                          DoubleNear(31.0, 5e-3),
                          DoubleNear(25.0, 5e-3),
                          DoubleNear(22.0, 5e-3),
                          DoubleNear(24.0, 5e-3),
                          DoubleNear(27.0, 5e-3),
                          DoubleNear(62.333, 5e-3),
                          DoubleNear(66.667, 5e-3),
                          DoubleNear(63.667, 5e-3),
                          DoubleNear(93.333, 5e-3)));
}

TEST(CpopTest, TheCriticalPathOfThePapersExampleRunsOnTheSecondProcessor) {
  const PaperSchedule example;
  // 0 + 108, 31 + 77, 63.67 + 44.33 and 93.33 + 14.67: all 108.
  EXPECT_THAT(example.path, ElementsAre(OpId(0), OpId(1), OpId(8), OpId(9)));
  // P1 14 + 13 + 18 + 21 = 66, P2 16 + 19 + 12 + 7 = 54, P3 9 + 18 + 20 + 16 = 63.
  EXPECT_EQ(CriticalPathProcessor(*example.problem,
                                  OpTimes::Alone(*example.problem),
                                  example.path,
                                  example.problem->devices()),
            DeviceId(1));
}

TEST(CpopTest, RoundingLeavesNoOpOutOfTheCriticalPath) {
  // a, b and c are one path, which an edge from a to c goes past. The sums of their ranks are equal
  // but for their last digit.
  const auto graph = MakeGraph({UnevenOp("a", {1}, {}, {8}),
                                UnevenOp("b", {1}, {{0, 0}}, {8}),
                                UnevenOp("c", {1}, {{0, 0}, {1, 0}})});
  const std::vector<double> priority = {0.3, 0.3, 0.1 + 0.2};
  ASSERT_GT(priority[2], priority[1]);
  EXPECT_THAT(CriticalPath(*graph, priority), ElementsAre(OpId(0), OpId(1), OpId(2)));
}

TEST(CpopTest, SchedulesThePapersExampleInEightySixUnits) {
  const PaperSchedule example;
  const ListSchedule schedule = BuildListSchedule(
      *example.problem,
      example.transfers,
      KeyOfOrder(ReadyListOrder(example.problem->graph(), example.priority)),
      {.preferred_device = PreferOnPath(*example.problem, example.path, DeviceId(1))});
  EXPECT_EQ(schedule.makespan, Microseconds(86));  // as printed
}

TEST(CpopTest, TheProcessorOfThePathIsTheOneThatRunsAllOfItFastest) {
  // a: 2 on d0, 3 on d1; b, which reads 8000 bytes of it: 9 on d0, 4 on d1. d1 runs both in 7, d0
  // in 11, so that a starts on d1, though it would end first on d0.
  const auto problem =
      MakeProblem(MakeGraph({UnevenOp("a", {2, 3}, {}, {8000}), UnevenOp("b", {9, 4}, {{0, 0}})}),
                  MeshMachine(2));
  EXPECT_EQ(RunAgent("cpop", problem, {}).best->evaluation.result.makespan, Microseconds(7));
  // HEFT: a on d0 until 2, then b there, until 11; on d1 it would be 2 + 8 + 4.
  EXPECT_EQ(RunAgent("heft", problem, {}).best->evaluation.result.makespan, Microseconds(11));
}

}  // namespace
}  // namespace opyard::agents
