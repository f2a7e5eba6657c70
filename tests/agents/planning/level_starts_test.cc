#include "agents/planning/level_starts.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "env/action_codec.h"
#include "tests/agents/problems.h"
#include "tests/support/golden_graphs.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

class LevelStartsTest : public ::testing::Test {
 protected:
  std::vector<EvaluatedPlan> Starts(const std::shared_ptr<const env::Problem>& problem,
                                    std::int64_t evaluations,
                                    LevelStartOptions options = {}) {
    env::Evaluator evaluator(
        problem,
        {.budget = {.evaluations = evaluations},
         .on_evaluation = [this](const sim::Plan& plan, const env::Evaluation&) {
           plans_.push_back(plan);
         }});
    Rng rng(1);
    return EvaluateLevelStarts(*problem, Levels(*problem), evaluator, options, rng);
  }

  static std::shared_ptr<const env::Problem> ProblemOf(std::size_t num_ops,
                                                       env::TaskSet tasks = testing::kPlacement) {
    return testing::MakeProblem(
        opyard::testing::LayeredGraph(1, num_ops), opyard::testing::MeshMachine(3), tasks);
  }

  std::vector<sim::Plan> plans_;  // that were evaluated
};

TEST_F(LevelStartsTest, NoPlacementIsEvaluatedTwice) {
  (void)Starts(ProblemOf(600), 2'000);
  std::vector<sim::OpPlacement> placements;
  for (const sim::Plan& plan : plans_) {
    placements.push_back(plan.placement);
  }
  std::ranges::sort(placements);

  EXPECT_GT(placements.size(), 20U);
  EXPECT_EQ(std::ranges::adjacent_find(placements), placements.end());
}

// Beside the quarter, the best three placements have equal priorities as well.
TEST_F(LevelStartsTest, AQuarterOfTheEvaluationsAtMost) {
  (void)Starts(ProblemOf(600, testing::kBoth), 40);

  EXPECT_LE(plans_.size(), 10U + 3U);
}

TEST_F(LevelStartsTest, TheBestComeBackInOrder) {
  const std::vector<EvaluatedPlan> starts = Starts(ProblemOf(600, testing::kBoth), 2'000);

  ASSERT_EQ(starts.size(), kMostStarts);
  EXPECT_TRUE(std::ranges::is_sorted(starts, {}, &EvaluatedPlan::fitness));
}

TEST_F(LevelStartsTest, OnOneDeviceAlone) {
  const auto problem = ProblemOf(60);
  (void)Starts(problem, 1'000, {.start = Start::kSingleDevice});

  ASSERT_FALSE(plans_.empty());
  for (const sim::Plan& plan : plans_) {
    EXPECT_EQ(std::ranges::count(plan.placement, plan.placement.front()),
              std::ssize(plan.placement));
  }
}

// Of these problems, two fit on no device alone.
TEST_F(LevelStartsTest, PartitionsKeepToTheMemory) {
  for (const testing::NamedProblem& named : testing::ConformanceProblems(testing::kPlacement)) {
    SCOPED_TRACE(named.name);
    const std::vector<EvaluatedPlan> starts = Starts(named.problem, 400);
    ASSERT_FALSE(starts.empty());
    EXPECT_FALSE(starts.front().fitness.is_infeasible);
  }
}

}  // namespace
}  // namespace opyard::agents
