#include "agents/planning/local_search/start_race.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::PlacedOn;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StartRaceTest : public ::testing::Test {
 protected:
  // Four plans, of which plan i takes 2 + i seconds.
  static std::vector<EvaluatedPlan> FourStarts() {
    std::vector<EvaluatedPlan> starts;
    for (const std::int32_t i : {2, 0, 3, 1}) {
      starts.push_back({.plan = PlacedOn({i % 2, i / 2}),
                        .fitness = {.is_infeasible = false, .value = 2.0 + i}});
    }
    return starts;
  }

  // Evaluates a plan until the budget's share is used; notes how often.
  EvaluatedPlan Spend(EvaluatedPlan state, double until, env::Evaluator& evaluator) {
    int count = 0;
    for (; evaluator.UsedShare() < until; ++count) {
      evaluator.Evaluate(state.plan);
    }
    counts_.push_back(count);
    return state;
  }

  static std::vector<double> ValuesOf(const std::vector<EvaluatedPlan>& states) {
    std::vector<double> values;
    for (const EvaluatedPlan& state : states) {
      values.push_back(state.fitness.value);
    }
    return values;
  }

  std::shared_ptr<const env::Problem> problem_ =
      testing::MakeProblem(MakeGraph({TimedOp("a", 2), TimedOp("b", 5)}), MeshMachine(2));
  std::vector<int> counts_;
};

// 50 of 100 evaluations in two rounds: 25 on four starts, more than 6 each, and 25 on two, more
// than 12 each.
TEST_F(StartRaceTest, EachRoundHasAnEqualShareOfTheBudget) {
  env::Evaluator evaluator(problem_, {.budget = {.evaluations = 100}});
  const std::vector<EvaluatedPlan> raced = RaceStarts(
      FourStarts(),
      evaluator,
      {.share = 0.5, .least_evaluations = 5},
      [&](EvaluatedPlan state, double until) { return Spend(std::move(state), until, evaluator); });
  EXPECT_THAT(counts_, ElementsAre(7, 7, 7, 7, 13, 13));
  EXPECT_THAT(ValuesOf(raced), ElementsAre(2.0, 3.0, 4.0, 5.0));
}

// 50 evaluations in two rounds on four starts are 6 each, in one round on two of them 25 each.
TEST_F(StartRaceTest, WithFewEvaluationsOnlyTheBestAreImproved) {
  env::Evaluator evaluator(problem_, {.budget = {.evaluations = 100}});
  const std::vector<EvaluatedPlan> raced =
      RaceStarts(FourStarts(),
                 evaluator,
                 {.share = 0.5, .least_evaluations = 7},
                 [&](EvaluatedPlan state, double until) {
                   EXPECT_LE(state.fitness.value, 3.0);
                   return Spend(std::move(state), until, evaluator);
                 });
  EXPECT_THAT(counts_, ElementsAre(25, 25));
  EXPECT_THAT(ValuesOf(raced), ElementsAre(2.0, 3.0, 4.0, 5.0));
}

// 50 evaluations are too few for two starts.
TEST_F(StartRaceTest, WithTooFewEvaluationsNoneIsImproved) {
  env::Evaluator evaluator(problem_, {.budget = {.evaluations = 100}});
  const std::vector<EvaluatedPlan> raced = RaceStarts(
      FourStarts(),
      evaluator,
      {.share = 0.5, .least_evaluations = 26},
      [&](EvaluatedPlan state, double until) { return Spend(std::move(state), until, evaluator); });
  EXPECT_THAT(counts_, IsEmpty());
  EXPECT_THAT(ValuesOf(raced), ElementsAre(2.0, 3.0, 4.0, 5.0));
}

// The worst improves by 4 each time, all others by nothing: it is first after the first round, and
// improves again in the second.
TEST_F(StartRaceTest, TheOneThatImprovesMostWins) {
  env::Evaluator evaluator(problem_, {.budget = {.evaluations = 100}});
  const std::vector<EvaluatedPlan> raced = RaceStarts(
      FourStarts(), evaluator, {.least_evaluations = 1}, [&](EvaluatedPlan state, double) {
        state.fitness.value -= state.plan.placement == PlacedOn({1, 1}).placement ? 4.0 : 0.0;
        return state;
      });
  EXPECT_THAT(ValuesOf(raced), ElementsAre(-3.0, 2.0, 3.0, 4.0));
  EXPECT_EQ(raced.front().plan, PlacedOn({1, 1}));
}

TEST_F(StartRaceTest, TheBestOfDifferentPlacementsTakePart) {
  env::Evaluator evaluator(problem_, {.budget = {.evaluations = 100}});
  std::vector<EvaluatedPlan> starts = FourStarts();
  starts.push_back(starts[1]);  // the best
  starts.back().fitness.value = 2.5;
  const std::vector<EvaluatedPlan> raced =
      RaceStarts(std::move(starts),
                 evaluator,
                 {.num_starts = 3, .least_evaluations = 1},
                 [](EvaluatedPlan state, double) { return state; });
  EXPECT_THAT(ValuesOf(raced), ElementsAre(2.0, 3.0, 4.0));
}

TEST_F(StartRaceTest, WithoutALimitNoneIsImproved) {
  env::Evaluator evaluator(problem_, {});
  const std::vector<EvaluatedPlan> raced =
      RaceStarts(FourStarts(), evaluator, {}, [&](EvaluatedPlan state, double until) {
        return Spend(std::move(state), until, evaluator);
      });
  EXPECT_THAT(counts_, IsEmpty());
  EXPECT_THAT(ValuesOf(raced), ElementsAre(2.0, 3.0, 4.0, 5.0));
}

}  // namespace
}  // namespace opyard::agents
