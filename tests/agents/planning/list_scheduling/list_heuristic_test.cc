#include "agents/planning/list_scheduling/list_heuristic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using testing::MakeProblem;
using testing::RunAgent;
using testing::UnevenOp;

Options CapacityTest(const std::string& word) {
  Options options;
  options.Set("capacity_test", word);
  return options;
}

// Three ops of 400 kB each on devices of 1 MB; all take 5 us on d0 and 50 on d1, so that a schedule
// blind to memory puts all three on d0, which holds two.
std::shared_ptr<const env::Problem> TooMuchForOneDevice() {
  std::vector<sim::OpSpec> ops;
  for (const char* name : {"a", "b", "c"}) {
    ops.push_back(UnevenOp(name, {5, 50}));
    ops.back().param_bytes = Bytes{400'000};
  }
  return MakeProblem(MakeGraph(ops), MeshMachine(2));
}

// List schedulers whose papers know no memory, by name.
class ListHeuristicTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(All,
                         ListHeuristicTest,
                         ::testing::Values("cpop", "critical_path", "dps", "hbmct", "heft", "peft"),
                         [](const auto& agent) { return agent.param; });

TEST_P(ListHeuristicTest, TheMemoryRuleFindsAPlanWhereTheBlindScheduleFails) {
  const testing::Outcome outcome =
      RunAgent(GetParam(), TooMuchForOneDevice(), {.options = CapacityTest("auto")});
  EXPECT_EQ(outcome.num_failures, 1);
  ASSERT_TRUE(outcome.best->evaluation.is_feasible());
  EXPECT_EQ(outcome.best->evaluation.result.makespan, Microseconds(50));
}

TEST_P(ListHeuristicTest, WithoutTheMemoryRuleItFailsAsPublished) {
  const testing::Outcome outcome =
      RunAgent(GetParam(), TooMuchForOneDevice(), {.options = CapacityTest("off")});
  EXPECT_EQ(outcome.num_evaluations, 1);
  EXPECT_EQ(outcome.num_failures, 1);
}

// Neither device holds all three ops, so that each device alone fails as well.
TEST(AwareListTest, WithoutTheMemoryRuleAllPlansMayFail) {
  for (const char* name :
       {"cpop_aware", "critical_path_aware", "dps_aware", "heft_aware", "peft_aware"}) {
    SCOPED_TRACE(name);
    const testing::Outcome outcome =
        RunAgent(name, TooMuchForOneDevice(), {.options = CapacityTest("off")});
    EXPECT_EQ(outcome.num_failures, outcome.num_evaluations);
    EXPECT_FALSE(outcome.best->evaluation.is_feasible());
  }
}

}  // namespace
}  // namespace opyard::agents
