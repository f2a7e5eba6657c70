#include <numeric>

#include <gtest/gtest.h>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/initial_plans/simple_plans.h"
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

// Batch sizes as the evaluator saw them, of a search that begins at `start`.
std::vector<std::int64_t> Batches(std::int64_t evaluations, const std::string& start) {
  const auto problem = testing::ConformanceProblems(testing::kBoth).back().problem;
  std::vector<std::int64_t> batches;
  std::int64_t before = 0;
  env::Evaluator evaluator(
      problem,
      {.budget = {.evaluations = evaluations}, .on_progress = [&](const env::Evaluator& progress) {
         batches.push_back(progress.num_evaluations() - before);
         before = progress.num_evaluations();
       }});
  Rng rng(1);
  ClassicalAgents()
      .Make("brkga", Options({{"start", start}}))
      ->Search(*problem, evaluator, rng, {});
  return batches;
}

TEST(BrkgaTest, ElitesAreNotEvaluatedAgain) {
  // 100 + 80·k: 2100 = 100 + 25·80.
  const std::vector<std::int64_t> batches = Batches(2100, "random");
  ASSERT_EQ(batches.size(), 26U);
  EXPECT_EQ(batches[0], 100);
  for (std::size_t i = 1; i < batches.size(); ++i) {
    EXPECT_EQ(batches[i], 80);
  }
}

TEST(BrkgaTest, ASmallBudgetGetsASmallPopulation) {
  // A twentieth of 500: 25, of which 5 are elites: 25 + 23·20 = 485, and 15 of the next 20.
  const std::vector<std::int64_t> batches = Batches(500, "random");
  ASSERT_EQ(batches.size(), 25U);
  EXPECT_EQ(batches[0], 25);
  EXPECT_EQ(batches[1], 20);
  EXPECT_EQ(batches.back(), 15);
  // Never below 20.
  EXPECT_EQ(Batches(30, "random"), (std::vector<std::int64_t>{20, 10}));
}

TEST(BrkgaTest, PlansToBeginAtAreEvaluatedBeforeThePopulation) {
  const std::vector<std::int64_t> batches = Batches(500, "simple");
  const auto problem = testing::ConformanceProblems(testing::kBoth).back().problem;
  EXPECT_EQ(batches[0], std::ssize(SimpleInitialPlans(*problem, kDefaultLevels)));
  EXPECT_EQ(std::accumulate(batches.begin(), batches.end(), std::int64_t{0}), 500);
}

TEST(BrkgaTest, FindsTheBestPlacementOfSmallGraphs) {
  for (const testing::NamedProblem& named : testing::ConformanceProblems(testing::kPlacement)) {
    if (named.problem->graph().num_ops() > 8) {
      continue;
    }
    SCOPED_TRACE(named.name);
    const Outcome outcome = RunAgent("brkga", named.problem, {.evaluations = 1300});
    EXPECT_EQ(outcome.best->evaluation.result.makespan,
              testing::BestMakespanByBruteForce(named.problem));
  }
}

TEST(BrkgaTest, FindsTheBestPlacementFromRandomGenesAlone) {
  Options options;
  options.Set("start", std::string("random"));
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 6; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 2 + i));
  }
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(3));
  const Outcome outcome = RunAgent("brkga", problem, {.evaluations = 1300, .options = options});
  EXPECT_EQ(outcome.best->evaluation.result.makespan, testing::BestMakespanByBruteForce(problem));
}

TEST(BrkgaTest, The5kHasTheSettingsThatRegalIsMeasuredAgainst) {
  const auto problem = testing::ConformanceProblems(testing::kBoth).back().problem;
  Options options;
  options.Set("start", std::string("random"));
  options.Set("population", std::int64_t{100});
  const Outcome alias = RunAgent("brkga_5k", problem, {.evaluations = 340});
  const Outcome same = RunAgent("brkga", problem, {.evaluations = 340, .options = options});
  EXPECT_EQ(alias.best->plan, same.best->plan);
  ASSERT_EQ(alias.history.size(), same.history.size());
  EXPECT_EQ(alias.history.back().evaluations, same.history.back().evaluations);
}

TEST(BrkgaTest, DoesNotLoseToOneDevice) {
  for (const testing::NamedProblem& named : testing::ConformanceProblems(testing::kPlacement)) {
    SCOPED_TRACE(named.name);
    const Outcome alone = RunAgent("single_device", named.problem, {});
    const Outcome bred = RunAgent("brkga", named.problem, {.evaluations = 20});
    EXPECT_LE(bred.best->evaluation.score, alone.best->evaluation.score);
  }
}

}  // namespace
}  // namespace opyard::agents
