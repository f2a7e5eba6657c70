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

std::shared_ptr<const env::Problem> EightOps(env::TaskSet tasks) {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 8; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 2 + i));
  }
  return MakeProblem(MakeGraph(ops), MeshMachine(3), tasks);
}

TEST(SimulatedAnnealingTest, FindsTheBestPlacementOfSmallGraphs) {
  for (const testing::NamedProblem& named : testing::ConformanceProblems(testing::kPlacement)) {
    if (named.problem->graph().num_ops() > 8) {
      continue;
    }
    SCOPED_TRACE(named.name);
    const Outcome outcome = RunAgent("simulated_annealing", named.problem, {.evaluations = 600});
    EXPECT_EQ(outcome.best->evaluation.result.makespan,
              testing::BestMakespanByBruteForce(named.problem));
  }
}

TEST(SimulatedAnnealingTest, FindsTheBestPlacementFromARandomStart) {
  Options options;
  options.Set("start", std::string("random"));
  const auto problem = EightOps(testing::kPlacement);
  const Outcome outcome =
      RunAgent("simulated_annealing", problem, {.evaluations = 1000, .options = options});
  EXPECT_EQ(outcome.best->evaluation.result.makespan, testing::BestMakespanByBruteForce(problem));
}

TEST(SimulatedAnnealingTest, DoesNotLoseToOneDevice) {
  for (const testing::NamedProblem& named : testing::ConformanceProblems(testing::kPlacement)) {
    SCOPED_TRACE(named.name);
    const Outcome alone = RunAgent("single_device", named.problem, {});
    const Outcome annealed = RunAgent("simulated_annealing", named.problem, {.evaluations = 20});
    EXPECT_LE(annealed.best->evaluation.score, alone.best->evaluation.score);
  }
}

TEST(SimulatedAnnealingTest, SpendsTheWholeBudget) {
  for (const std::int64_t restarts : {0, 3}) {
    Options options;
    options.Set("restarts", restarts);
    const Outcome outcome = RunAgent(
        "simulated_annealing", EightOps(testing::kBoth), {.evaluations = 333, .options = options});
    EXPECT_EQ(outcome.num_evaluations, 333);
  }
}

TEST(SimulatedAnnealingTest, GivingUpHopelessRunsChangesNoDecision) {
  for (const env::TaskSet tasks : {testing::kPlacement, testing::kBoth}) {
    for (const testing::NamedProblem& named : testing::ConformanceProblems(tasks)) {
      SCOPED_TRACE(named.name);
      Options whole;
      whole.Set("incremental", false);
      const Outcome slow =
          RunAgent("simulated_annealing", named.problem, {.evaluations = 300, .options = whole});
      const Outcome fast = RunAgent("simulated_annealing", named.problem, {.evaluations = 300});
      EXPECT_EQ(fast.best->plan, slow.best->plan);
      ASSERT_EQ(fast.history.size(), slow.history.size());
      for (std::size_t i = 0; i < fast.history.size(); ++i) {
        EXPECT_EQ(fast.history[i].evaluations, slow.history[i].evaluations);
        EXPECT_EQ(fast.history[i].result, slow.history[i].result);
      }
    }
  }
}

}  // namespace
}  // namespace opyard::agents
