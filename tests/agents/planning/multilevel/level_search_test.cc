#include "agents/planning/multilevel/level_search.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "agents/planning/encoding/decisions.h"
#include "env/action_codec.h"
#include "tests/agents/problems.h"
#include "tests/support/golden_graphs.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

// What was searched: the groups of each call, and its evaluations.
struct Calls {
  std::vector<std::int32_t> num_groups;
  std::vector<std::int64_t> evaluations;
};

class LevelSearchTest : public ::testing::Test {
 protected:
  // Searches by moving a random group of a view to a random device of its own until its slice is
  // over.
  Calls Search(const env::Problem& problem, env::Evaluator& evaluator, double slice_share) {
    const Levels levels(problem);
    const sim::Plan plan = env::DefaultPlan(problem);
    const auto evaluation = evaluator.Evaluate(plan);
    Calls calls;
    Rng rng(1);
    SearchLevels(problem,
                 levels,
                 {{.plan = plan, .fitness = FitnessOf(*evaluation)}},
                 evaluator,
                 rng,
                 {},
                 {.slice_share = slice_share},
                 [&](const env::Problem& view,
                     env::Evaluator& slice,
                     Rng& own,
                     const SearchContext& context) {
                   EXPECT_EQ(context.start->placement, evaluator.best()->plan.placement);
                   calls.num_groups.push_back(view.grouping().num_groups);
                   calls.evaluations.push_back(MoveAround(view, slice, own, *context.start));
                 });
    return calls;
  }

  static std::int64_t MoveAround(const env::Problem& view,
                                 env::Evaluator& slice,
                                 Rng& rng,
                                 const sim::Plan& start) {
    while (!slice.is_done()) {
      Decisions decisions = ToDecisions(view, start);
      const std::size_t group = rng.Below(NumGroups(view));
      const auto allowed = view.AllowedDevices(GroupId(group));
      decisions.device_of_group[group] = allowed[rng.Below(allowed.size())];
      slice.Evaluate(ToPlan(view, decisions));
    }
    return slice.num_evaluations();
  }

  static std::shared_ptr<const env::Problem> ProblemOf(std::size_t num_ops) {
    return testing::MakeProblem(opyard::testing::LayeredGraph(1, num_ops),
                                opyard::testing::MeshMachine(3));
  }
};

// 1,001 evaluations but for the start are 20 slices of a twentieth.
TEST_F(LevelSearchTest, EachCallHasItsShareOfTheBudget) {
  const auto problem = ProblemOf(600);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 1'001}});
  const Calls calls = Search(*problem, evaluator, 0.05);

  EXPECT_EQ(calls.evaluations, std::vector<std::int64_t>(20, 50));
  EXPECT_EQ(evaluator.num_evaluations(), 1'001);
}

TEST_F(LevelSearchTest, ACallHasThirtyEvaluationsAtLeast) {
  const auto problem = ProblemOf(600);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 91}});

  EXPECT_EQ(Search(*problem, evaluator, 0.05).evaluations, std::vector<std::int64_t>(3, 30));
}

TEST_F(LevelSearchTest, AllLevelsAreSearched) {
  const auto problem = ProblemOf(600);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 1'001}});
  const Calls calls = Search(*problem, evaluator, 0.05);

  EXPECT_GT(std::ranges::count(calls.num_groups, problem->finest_grouping().num_groups), 0);
  EXPECT_GT(
      std::ranges::count_if(calls.num_groups, [](std::int32_t groups) { return groups <= 140; }),
      0);
}

TEST_F(LevelSearchTest, OneLevelHasAllThatIsLeft) {
  const auto problem = ProblemOf(60);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 101}});

  EXPECT_EQ(Search(*problem, evaluator, 0.05).evaluations, std::vector<std::int64_t>(1, 100));
}

}  // namespace
}  // namespace opyard::agents
