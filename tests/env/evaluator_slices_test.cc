// Parts of a budget: what a search inside a search may spend, and what the outer one keeps of it.
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "env/evaluator.h"
#include "sim/base/error.h"
#include "sim/base/interrupt.h"
#include "tests/env/chain_plans.h"
#include "tests/env/small_problems.h"

namespace opyard::env {
namespace {

using ::opyard::testing::PlacedOn;

TEST(EvaluatorSliceTest, ASliceSpendsNoMoreThanItsPart) {
  Evaluator outer(ChainProblem(), {.budget = {.evaluations = 10}});
  Evaluator part = outer.Slice(Budget{.evaluations = 2});

  EXPECT_EQ(part.Evaluate(std::vector(5, TakesTenUs())).size(), 2U);
  EXPECT_TRUE(part.is_done());
  EXPECT_EQ(part.EvaluationsLeft(5), 0);
  EXPECT_FALSE(outer.is_done());
  EXPECT_EQ(outer.EvaluationsLeft(100), 8);
}

TEST(EvaluatorSliceTest, APartIsAtMostWhatIsLeft) {
  Evaluator outer(ChainProblem(), {.budget = {.evaluations = 3}});
  (void)outer.Evaluate(TakesTenUs());
  Evaluator part = outer.Slice(Budget{.evaluations = 100});

  EXPECT_EQ(part.options().budget.evaluations, 2);
  EXPECT_EQ(part.Evaluate(std::vector(5, TakesTenUs())).size(), 2U);
  EXPECT_TRUE(outer.is_done());
}

TEST(EvaluatorSliceTest, AShareIsOfTheWholeBudgetAndRoundedDown) {
  Evaluator outer(ChainProblem(), {.budget = {.evaluations = 10, .seconds = 1000.0}});
  (void)outer.Evaluate(std::vector(4, TakesTenUs()));
  Evaluator quarter = outer.Slice(0.25);
  Evaluator all = outer.Slice(1.0);

  EXPECT_EQ(quarter.options().budget.evaluations, 2);
  EXPECT_EQ(quarter.options().budget.seconds, 250.0);
  EXPECT_EQ(all.options().budget.evaluations, 6);
  EXPECT_LE(*all.options().budget.seconds, 1000.0);
}

TEST(EvaluatorSliceTest, AShareOfNoLimitIsNone) {
  Evaluator outer(ChainProblem(), {});
  Evaluator part = outer.Slice(0.5);

  EXPECT_FALSE(part.options().budget.evaluations.has_value());
  EXPECT_FALSE(part.options().budget.seconds.has_value());
}

TEST(EvaluatorSliceTest, ASliceBeginsWithNothingBehindIt) {
  Evaluator outer(ChainProblem(), {.budget = {.evaluations = 10}});
  (void)outer.Evaluate(TakesTenUs());
  Evaluator part = outer.Slice(Budget{.evaluations = 4});
  (void)part.Evaluate(TakesTwelveUs());

  EXPECT_EQ(part.num_evaluations(), 1);
  EXPECT_EQ(part.UsedShare(), 0.25);
  EXPECT_EQ(part.best()->plan, TakesTwelveUs());
  ASSERT_EQ(part.history().size(), 1U);
  EXPECT_EQ(part.history()[0].evaluations, 1);
}

TEST(EvaluatorSliceTest, TheOuterHistoryHoldsWhatSlicesFound) {
  Evaluator outer(ChainProblem(), {.budget = {.evaluations = 10}});
  (void)outer.Evaluate(TakesTwelveUs());
  {
    Evaluator part = outer.Slice(Budget{.evaluations = 4});
    (void)part.Evaluate(std::vector{TakesTwelveUs(), TakesElevenUs()});
    Evaluator inner = part.Slice(Budget{.evaluations = 1});
    (void)inner.Evaluate(TakesTenUs());
  }

  EXPECT_EQ(outer.num_evaluations(), 4);
  EXPECT_EQ(outer.best()->plan, TakesTenUs());
  ASSERT_EQ(outer.history().size(), 3U);
  EXPECT_EQ(outer.history()[0].evaluations, 1);
  EXPECT_EQ(outer.history()[1].evaluations, 3);
  EXPECT_EQ(outer.history()[2].evaluations, 4);
}

TEST(EvaluatorSliceTest, FailuresInASliceCountOutside) {
  // b needs 2 MB, the devices hold 1 MB.
  Evaluator outer(HungryProblem(2'000'000), {});
  Evaluator part = outer.Slice(Budget{.evaluations = 1});
  (void)part.Evaluate(PlacedOn({0, 1}));

  EXPECT_EQ(part.num_failures(), 1);
  EXPECT_EQ(outer.num_failures(), 1);
}

TEST(EvaluatorSliceTest, AnIllegalPlanInASliceIsCountedNowhere) {
  Evaluator outer(ChainProblem(), {});
  Evaluator part = outer.Slice(Budget{.evaluations = 5});

  EXPECT_THROW(part.Evaluate(std::vector{TakesTenUs(), PlacedOn({0, 0, 7}), TakesTenUs()}),
               PlanError);
  EXPECT_EQ(part.num_evaluations(), 1);
  EXPECT_EQ(outer.num_evaluations(), 1);
}

TEST(EvaluatorSliceTest, ASliceIsDoneWithItsSeconds) {
  Evaluator outer(ChainProblem(), {});
  Evaluator part = outer.Slice(Budget{.seconds = 0.002});
  const std::vector<sim::Plan> plans(100'000, TakesTenUs());

  // 100,000 simulations in 2 ms would be 20 ns each.
  EXPECT_LT(part.Evaluate(plans).size(), plans.size());
  EXPECT_TRUE(part.is_done());
  EXPECT_FALSE(outer.is_done());
}

TEST(EvaluatorSliceTest, ASliceIsDoneWithTheOuterSeconds) {
  Evaluator outer(ChainProblem(), {.budget = {.seconds = 0.002}});
  Evaluator part = outer.Slice(Budget{.evaluations = 1'000'000, .seconds = 1000.0});
  std::this_thread::sleep_for(std::chrono::milliseconds(3));

  EXPECT_TRUE(part.is_done());
  EXPECT_FALSE(part.Evaluate(TakesTenUs()).has_value());
}

TEST(EvaluatorSliceTest, AnInterruptEndsSlices) {
  InterruptFlag interrupt;
  Evaluator outer(ChainProblem(), {.interrupt = &interrupt});
  Evaluator part = outer.Slice(Budget{.evaluations = 5});
  interrupt.Raise();

  EXPECT_TRUE(part.is_done());
}

TEST(EvaluatorSliceTest, ProgressInASliceIsReportedOfTheOuterSearch) {
  std::vector<std::int64_t> seen;
  Evaluator outer(ChainProblem(), {.on_progress = [&](const Evaluator& evaluator) {
                    seen.push_back(evaluator.num_evaluations());
                  }});
  (void)outer.Evaluate(TakesTenUs());
  Evaluator part = outer.Slice(Budget{.evaluations = 5});
  (void)part.Evaluate(std::vector{TakesTenUs(), TakesTenUs()});

  EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 3}));
}

// One evaluator of a nesting: what it may spend, and how many evaluations were made in it.
struct Level {
  Evaluator& evaluator;
  std::int64_t limit;
  std::int64_t spent = 0;
};

// Evaluates and opens slices at random, never asking how much is left.
void SpendAtRandom(Level& level, std::vector<Level*>& above, int depth) {
  const int num_steps = *rc::gen::inRange(0, 5);
  above.push_back(&level);
  for (int step = 0; step < num_steps; ++step) {
    const std::int64_t asked = *rc::gen::inRange<std::int64_t>(0, 12);
    if (depth == 0 || *rc::gen::arbitrary<bool>()) {
      const auto evaluated = std::ssize(level.evaluator.Evaluate(
          static_cast<std::size_t>(asked), [](std::size_t) { return TakesTenUs(); }));
      RC_ASSERT(evaluated <= asked);
      std::ranges::for_each(above, [&](Level* each) { each->spent += evaluated; });
    } else {
      Evaluator slice = level.evaluator.Slice(Budget{.evaluations = asked});
      Level inner{.evaluator = slice, .limit = asked};
      SpendAtRandom(inner, above, depth - 1);
    }
  }
  above.pop_back();
  RC_ASSERT(level.evaluator.num_evaluations() == level.spent);
  RC_ASSERT(level.spent <= level.limit);
}

RC_GTEST_PROP(EvaluatorSliceProperty, NoNestingExceedsAPartAndTheOutermostCountsAll, ()) {
  const std::int64_t limit = *rc::gen::inRange<std::int64_t>(0, 40);
  Evaluator outermost(ChainProblem(), {.budget = {.evaluations = limit}});
  Level level{.evaluator = outermost, .limit = limit};
  std::vector<Level*> above;
  SpendAtRandom(level, above, 4);
}

}  // namespace
}  // namespace opyard::env
