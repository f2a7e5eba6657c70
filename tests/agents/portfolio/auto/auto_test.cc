#include <gtest/gtest.h>

#include "tests/agents/problems.h"

namespace opyard::agents {
namespace {

using testing::NamedProblem;
using testing::Outcome;
using testing::RunAgent;

constexpr std::int64_t kEnough = 400;  // evaluations: each rule may end within a quarter of them

TEST(AutoTest, IsNeverWorseThanAMemberThatBuildsPlans) {
  for (const NamedProblem& named : testing::ConformanceProblems(testing::kBoth)) {
    SCOPED_TRACE(named.name);
    const Outcome whole = RunAgent("auto", named.problem, {.evaluations = kEnough});
    for (const char* rule : {"single_device",
                             "human_expert",
                             "critical_path_aware",
                             "heft_aware",
                             "peft_aware",
                             "m_topo_aware",
                             "m_etf_aware",
                             "metis",
                             "metis_memory",
                             "scotch",
                             "gp_dfs",
                             "min_cut"}) {
      SCOPED_TRACE(rule);
      const Outcome alone = RunAgent(rule, named.problem, {.evaluations = kEnough});
      if (alone.best->evaluation.is_feasible()) {
        ASSERT_TRUE(whole.best->evaluation.is_feasible());
        EXPECT_LE(whole.best->evaluation.score, alone.best->evaluation.score);
      }
    }
  }
}

// A tenth of so few evaluations would be one device alone, often the host.
TEST(AutoTest, HasTriedEachDeviceAloneWithTwentyEvaluations) {
  for (const NamedProblem& named : testing::ConformanceProblems(testing::kBoth)) {
    SCOPED_TRACE(named.name);
    const Outcome whole = RunAgent("auto", named.problem, {.evaluations = 20});
    const Outcome alone = RunAgent("single_device", named.problem, {.evaluations = 20});
    if (alone.best->evaluation.is_feasible()) {
      ASSERT_TRUE(whole.best->evaluation.is_feasible());
      EXPECT_LE(whole.best->evaluation.score, alone.best->evaluation.score);
    }
  }
}

TEST(AutoTest, UsesTheWholeBudgetWhereSearchesHaveMoreToTry) {
  for (const NamedProblem& named : testing::ConformanceProblems(testing::kPlacement)) {
    if (named.name.starts_with("Random")) {
      SCOPED_TRACE(named.name);
      EXPECT_EQ(RunAgent("auto", named.problem, {.evaluations = kEnough}).num_evaluations, kEnough);
    }
  }
}

TEST(AutoTest, ReachesTheBestPlacementOfSmallGraphs) {
  for (const NamedProblem& named : testing::ConformanceProblems(testing::kPlacement)) {
    if (named.problem->graph().num_ops() <= 6) {
      SCOPED_TRACE(named.name);
      const Outcome outcome = RunAgent("auto", named.problem, {.evaluations = 2000});
      EXPECT_EQ(outcome.best->evaluation.result.makespan,
                testing::BestMakespanByBruteForce(named.problem));
    }
  }
}

}  // namespace
}  // namespace opyard::agents
