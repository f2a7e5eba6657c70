// Plans that are made where they are evaluated, and the listeners that are called for them.
#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/evaluator.h"
#include "tests/env/chain_plans.h"
#include "tests/env/small_problems.h"

namespace opyard::env {
namespace {

using ::opyard::testing::Microseconds;

TEST(EvaluatorBatchTest, PlansAreMadeByTheThreadsThatEvaluateThem) {
  std::mutex mutex;
  std::condition_variable both_came;
  std::set<std::thread::id> makers;
  Evaluator evaluator(ChainProblem(), {.num_threads = 2});

  // Nobody goes on before two threads have come: with one, this would wait for ever.
  const auto found = evaluator.Evaluate(4, [&](std::size_t item) {
    std::unique_lock lock(mutex);
    makers.insert(std::this_thread::get_id());
    both_came.notify_all();
    both_came.wait(lock, [&] { return makers.size() == 2; });
    return item % 2 == 0 ? TakesTenUs() : TakesTwelveUs();
  });

  EXPECT_THAT(Scores(found), ::testing::ElementsAre(10e-6, 12e-6, 10e-6, 12e-6));
  EXPECT_EQ(evaluator.best()->plan, TakesTenUs());
}

TEST(EvaluatorBatchTest, NoMorePlansAreMadeThanTheBudgetAllows) {
  std::size_t num_made = 0;
  Evaluator evaluator(ChainProblem(), {.budget = {.evaluations = 3}});
  const auto make_plan = [&](std::size_t item) {
    num_made = std::max(num_made, item + 1);
    return TakesTenUs();
  };

  EXPECT_EQ(evaluator.Evaluate(10, make_plan).size(), 3U);
  EXPECT_EQ(num_made, 3U);
}

TEST(EvaluatorBatchTest, APlanThatCannotBeMadeEndsItsBatch) {
  Evaluator evaluator(ChainProblem(), {.num_threads = 2});
  const auto make_plan = [&](std::size_t item) {
    if (item >= 2) {
      throw std::out_of_range(std::to_string(item));
    }
    return TakesTenUs();
  };

  try {
    (void)evaluator.Evaluate(5, make_plan);
    FAIL() << "nothing was thrown";
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "2");  // the first of them, whoever is faster
  }
  EXPECT_EQ(evaluator.num_evaluations(), 2);
}

TEST(EvaluatorBatchTest, ADetailedEvaluationIsCountedAndSaysWhenEachOpRan) {
  Evaluator evaluator(ChainProblem(), {.budget = {.evaluations = 1}});

  const std::optional<sim::SimReport> report = evaluator.EvaluateDetailed(TakesElevenUs());

  // a runs from 0 to 2 us and b to 5 us on d0; c from 6 to 11 us on d1, 1 us of transfer later.
  ASSERT_TRUE(report.has_value());
  ASSERT_TRUE(report->ops.at(2).has_value());
  EXPECT_EQ(report->ops[2]->start, Microseconds(6));
  EXPECT_EQ(report->result.makespan, Microseconds(11));
  EXPECT_EQ(evaluator.num_evaluations(), 1);
  EXPECT_EQ(evaluator.best()->plan, TakesElevenUs());
  EXPECT_FALSE(evaluator.EvaluateDetailed(TakesTenUs()).has_value());
}

TEST(EvaluatorBatchTest, EvaluatorsMayShareAPool) {
  const auto pool = std::make_shared<ThreadPool>(2);
  Evaluator first(ChainProblem(), {.pool = pool});
  Evaluator second(ChainProblem(), {.pool = pool});

  EXPECT_THAT(Scores(first.Evaluate(std::vector{TakesTenUs(), TakesElevenUs()})),
              ::testing::ElementsAre(10e-6, 11e-6));
  EXPECT_THAT(Scores(second.Evaluate(std::vector{TakesTwelveUs(), TakesElevenUs()})),
              ::testing::ElementsAre(12e-6, 11e-6));
  EXPECT_EQ(first.num_evaluations(), 2);
}

TEST(EvaluatorBatchTest, EveryCountedPlanIsReportedInOrder) {
  std::vector<std::pair<sim::Plan, double>> reported;
  Evaluator evaluator(ChainProblem(),
                      {.budget = {.evaluations = 3},
                       .num_threads = 2,
                       .on_evaluation = [&](const sim::Plan& plan, const Evaluation& evaluation) {
                         reported.emplace_back(plan, evaluation.score);
                       }});
  (void)evaluator.Evaluate(std::vector{TakesTwelveUs(), TakesTenUs()});
  (void)evaluator.EvaluateNeighbours(
      TakesTenUs(), std::vector<Move>(5, {{.op = OpId(2), .device = DeviceId(1)}}));

  EXPECT_THAT(reported,
              ::testing::ElementsAre(std::pair(TakesTwelveUs(), 12e-6),
                                     std::pair(TakesTenUs(), 10e-6),
                                     std::pair(TakesElevenUs(), 11e-6)));
}

}  // namespace
}  // namespace opyard::env
