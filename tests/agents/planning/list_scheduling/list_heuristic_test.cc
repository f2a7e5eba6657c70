#include "agents/planning/list_scheduling/list_heuristic.h"

#include <algorithm>

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

Options Only(const std::string& option, const std::string& word) {
  Options options;
  options.Set(option, word);
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

// The default of an option as text.
std::string DefaultOf(const std::string& agent, const std::string& option) {
  const AgentRegistry registry = testing::AgentsUnderTest();
  const std::vector<OptionInfo>& options = registry.Get(agent).info.options;
  return ToText(std::ranges::find(options, option, &OptionInfo::name)->default_value);
}

TEST_P(ListHeuristicTest, TheDefaultsAreThoseOfThePaper) {
  const AgentRegistry registry = testing::AgentsUnderTest();
  for (const OptionInfo& option : registry.Get(GetParam()).info.options) {
    SCOPED_TRACE(option.name);
    if (!option.paper.empty()) {
      EXPECT_EQ(ToText(option.default_value), option.paper);
    }
  }
  EXPECT_EQ(DefaultOf(GetParam(), "capacity_test"), "off");
}

TEST_P(ListHeuristicTest, TheMemoryRuleFindsAPlanWhereTheBlindScheduleFails) {
  const testing::Outcome outcome =
      RunAgent(GetParam(), TooMuchForOneDevice(), {.options = Only("capacity_test", "auto")});
  EXPECT_EQ(outcome.num_failures, 1);
  ASSERT_TRUE(outcome.best->evaluation.is_feasible());
  EXPECT_EQ(outcome.best->evaluation.result.makespan, Microseconds(50));
}

TEST_P(ListHeuristicTest, AsPublishedItIgnoresMemory) {
  const testing::Outcome outcome = RunAgent(GetParam(), TooMuchForOneDevice(), {});
  EXPECT_EQ(outcome.num_evaluations, 1);
  EXPECT_EQ(outcome.num_failures, 1);
}

// Op x takes 4 us on the GPU d0 and 100 on the CPU d1, op y 5 on either. Over all devices x has the
// greater mean (52 to 5) and goes to d0, y to d1: 5 us. Over the GPU alone y has (5 to 4), and goes
// to d0, the first of the two where it ends at 5; x follows it there: 9 us.
TEST(ListMeansTest, CountAllDevicesUnlessThoseOfTheMainKindAreAskedFor) {
  const auto problem = MakeProblem(MakeGraph({UnevenOp("x", {4, 100}), UnevenOp("y", {5, 5})}),
                                   testing::MeshWithCpu(1));
  const auto makespan = [&](const Options& options) {
    return RunAgent("heft", problem, {.options = options}).best->evaluation.result.makespan;
  };
  EXPECT_EQ(makespan({}), Microseconds(5));
  EXPECT_EQ(makespan(Only("means", "main_devices")), Microseconds(9));
  EXPECT_EQ(RunAgent("heft", problem, {.options = Only("means", "both")}).num_evaluations, 2);
}

TEST(AwareListTest, TheDefaultsKnowTheMachine) {
  for (const char* name : {"cpop_aware", "dps_aware", "heft_aware", "peft_aware"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(DefaultOf(name, "means"), "main_devices");
    EXPECT_EQ(DefaultOf(name, "capacity_test"), "auto");
  }
  EXPECT_EQ(DefaultOf("critical_path_aware", "capacity_test"), "auto");
}

// Neither device holds all three ops, so that each device alone fails as well.
TEST(AwareListTest, WithoutTheMemoryRuleAllPlansMayFail) {
  for (const char* name :
       {"cpop_aware", "critical_path_aware", "dps_aware", "heft_aware", "peft_aware"}) {
    SCOPED_TRACE(name);
    const testing::Outcome outcome =
        RunAgent(name, TooMuchForOneDevice(), {.options = Only("capacity_test", "off")});
    EXPECT_EQ(outcome.num_failures, outcome.num_evaluations);
    EXPECT_FALSE(outcome.best->evaluation.is_feasible());
  }
}

}  // namespace
}  // namespace opyard::agents
