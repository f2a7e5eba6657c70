#include "agents/planning/level_agent.h"

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

// Each slice of a search: its groups and its evaluations.
struct Slices {
  std::vector<std::int32_t> num_groups;
  std::vector<std::int64_t> evaluations;
};

// Moves a random group of a view to a random device of its own, always from the slice's start.
class RandomMoves final : public LevelAgent {
 public:
  explicit RandomMoves(Slices& slices) : slices_(slices) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context) override {
    whole_ = &evaluator;
    SearchLevels(problem, evaluator, rng, context, {.race_share = 0.0});
  }

  [[nodiscard]] SearchOneLevel OnLevels(const Levels& /*levels*/) const override {
    return [this](const env::Problem& view,
                  env::Evaluator& slice,
                  Rng& rng,
                  const SearchContext& context) {
      EXPECT_EQ(context.start->placement, whole_->best()->plan.placement);
      MoveAround(view, slice, rng, *context.start);
      slices_.num_groups.push_back(view.grouping().num_groups);
      slices_.evaluations.push_back(slice.num_evaluations());
    };
  }

 private:
  static void MoveAround(const env::Problem& view,
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
  }

  Slices& slices_;
  const env::Evaluator* whole_ = nullptr;
};

class LevelAgentTest : public ::testing::Test {
 protected:
  // The start is one evaluation.
  static Slices Search(const env::Problem& problem, env::Evaluator& evaluator) {
    Slices slices;
    Rng rng(1);
    RandomMoves(slices).Search(problem, evaluator, rng, {.start = env::DefaultPlan(problem)});
    return slices;
  }

  static std::shared_ptr<const env::Problem> ProblemOf(std::size_t num_ops) {
    return testing::MakeProblem(opyard::testing::LayeredGraph(1, num_ops),
                                opyard::testing::MeshMachine(3));
  }
};

// 1,001 evaluations but for the start are 20 slices of a twentieth.
TEST_F(LevelAgentTest, EachSliceHasItsShareOfTheBudget) {
  const auto problem = ProblemOf(600);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 1'001}});
  const Slices slices = Search(*problem, evaluator);

  EXPECT_EQ(slices.evaluations, std::vector<std::int64_t>(20, 50));
  EXPECT_EQ(evaluator.num_evaluations(), 1'001);
}

TEST_F(LevelAgentTest, ASliceHasThirtyEvaluationsAtLeast) {
  const auto problem = ProblemOf(600);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 91}});

  EXPECT_EQ(Search(*problem, evaluator).evaluations, std::vector<std::int64_t>(3, 30));
}

TEST_F(LevelAgentTest, AllLevelsAreSearched) {
  const auto problem = ProblemOf(600);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 1'001}});
  const Slices slices = Search(*problem, evaluator);

  EXPECT_GT(std::ranges::count(slices.num_groups, problem->finest_grouping().num_groups), 0);
  EXPECT_GT(
      std::ranges::count_if(slices.num_groups, [](std::int32_t groups) { return groups <= 140; }),
      0);
}

TEST_F(LevelAgentTest, OneLevelHasAllThatIsLeft) {
  const auto problem = ProblemOf(60);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 101}});

  EXPECT_EQ(Search(*problem, evaluator).evaluations, std::vector<std::int64_t>(1, 100));
}

}  // namespace
}  // namespace opyard::agents
