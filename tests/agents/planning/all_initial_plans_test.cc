#include "agents/planning/all_initial_plans.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "env/group_placement.h"
#include "tests/agents/problems.h"
#include "tests/support/golden_graphs.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

std::shared_ptr<const env::Problem> RandomProblem() {
  return testing::MakeProblem(opyard::testing::LayeredGraph(1, 30),
                              opyard::testing::MeshMachine(2));
}

std::vector<Decisions> Starts(std::int64_t evaluations) {
  Rng rng(1);
  return InitialPlans(*RandomProblem(), {.evaluations_left = evaluations}, rng);
}

// The first placements are the same, and further partitions stand behind them.
TEST(InitialPlansTest, MoreEvaluationsAreMorePartitionsToBeginAt) {
  const std::vector<Decisions> few = Starts(200);
  const std::vector<Decisions> many = Starts(5'000);
  ASSERT_GT(many.size(), few.size());
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

TEST(InitialPlansTest, AQuarterOfTheEvaluationsAtMost) {
  EXPECT_LE(Starts(40).size(), 10);
}

TEST(InitialPlansTest, OnOneDeviceAlone) {
  const auto problem = RandomProblem();
  Rng rng(1);
  const std::vector<Decisions> starts =
      InitialPlans(*problem, {.start = Start::kSingleDevice, .evaluations_left = 1'000}, rng);
  ASSERT_EQ(starts.size(), 2U);  // of two devices
  for (const Decisions& start : starts) {
    EXPECT_EQ(std::ranges::count(start.device_of_group, start.device_of_group.front()),
              std::ssize(start.device_of_group));
  }
}

TEST(InitialPlansTest, EachPlacementOnce) {
  std::vector<env::GroupPlacement> placements;
  for (const Decisions& start : Starts(5'000)) {
    placements.push_back(start.device_of_group);
  }
  std::ranges::sort(placements);
  EXPECT_EQ(std::ranges::adjacent_find(placements), placements.end());
}

// Without a limit of evaluations a search counts on 1,000, and so on 25 partitions: no more starts
// than with that many.
TEST(InitialPlansTest, ABudgetOfSecondsCountsAsAThousandEvaluations) {
  const auto problem = RandomProblem();
  const auto starts_of = [&](env::Budget budget) {
    const env::Evaluator evaluator(problem, {.budget = budget});
    Rng rng(1);
    return InitialPlans(*problem, evaluator, {}, rng);
  };
  EXPECT_EQ(starts_of({.seconds = 1e6}), starts_of({.evaluations = 1'000}));
}

}  // namespace
}  // namespace opyard::agents
