#include "env/evaluator.h"

#include <chrono>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/base/rng.h"
#include "tests/env/chain_plans.h"
#include "tests/env/small_problems.h"

namespace opyard::env {
namespace {

using ::opyard::testing::MakeGraph;
using ::opyard::testing::MeshMachine;
using ::opyard::testing::Microseconds;
using ::opyard::testing::PlacedOn;
using ::opyard::testing::TimedOp;

sim::Plan Illegal() {
  return PlacedOn({0, 0, 7});
}

TEST(EvaluatorTest, ResultsComeInTheOrderOfThePlans) {
  Evaluator evaluator(ChainProblem(), {});
  const std::vector plans = {TakesTwelveUs(), TakesTenUs(), TakesElevenUs()};

  EXPECT_THAT(Scores(evaluator.Evaluate(plans)), ::testing::ElementsAre(12e-6, 10e-6, 11e-6));
}

TEST(EvaluatorTest, CountsEveryPlan) {
  Evaluator evaluator(ChainProblem(), {});
  (void)evaluator.Evaluate(TakesTenUs());
  (void)evaluator.Evaluate(std::vector{TakesTenUs(), TakesTenUs()});

  EXPECT_EQ(evaluator.num_evaluations(), 3);
  EXPECT_EQ(evaluator.num_failures(), 0);
}

TEST(EvaluatorTest, ABatchLargerThanTheBudgetIsEvaluatedInPart) {
  Evaluator evaluator(ChainProblem(), {.budget = {.evaluations = 2}, .num_threads = 2});
  const std::vector plans = {TakesTwelveUs(), TakesElevenUs(), TakesTenUs()};

  EXPECT_THAT(Scores(evaluator.Evaluate(plans)), ::testing::ElementsAre(12e-6, 11e-6));
  EXPECT_EQ(evaluator.num_evaluations(), 2);
  EXPECT_DOUBLE_EQ(evaluator.best()->evaluation.score, 11e-6);
}

TEST(EvaluatorTest, NothingIsEvaluatedOnceTheBudgetIsSpent) {
  Evaluator evaluator(ChainProblem(), {.budget = {.evaluations = 1}});
  (void)evaluator.Evaluate(TakesTwelveUs());

  EXPECT_TRUE(evaluator.is_done());
  EXPECT_FALSE(evaluator.Evaluate(TakesTenUs()).has_value());
  EXPECT_TRUE(evaluator.Evaluate(std::vector{TakesTenUs()}).empty());
  EXPECT_EQ(evaluator.num_evaluations(), 1);
}

TEST(EvaluatorTest, ABudgetOfNothingAllowsNothing) {
  Evaluator no_evaluations(ChainProblem(), {.budget = {.evaluations = 0}});
  Evaluator no_seconds(ChainProblem(), {.budget = {.seconds = 0.0}});

  EXPECT_FALSE(no_evaluations.Evaluate(TakesTenUs()).has_value());
  EXPECT_FALSE(no_seconds.Evaluate(TakesTenUs()).has_value());
  EXPECT_FALSE(no_seconds.best().has_value());
}

TEST(EvaluatorTest, ASecondsBudgetEndsABatch) {
  Evaluator evaluator(ChainProblem(), {.budget = {.seconds = 0.002}, .num_threads = 2});
  const std::vector<sim::Plan> plans(100'000, TakesTenUs());

  const std::size_t num_evaluated = evaluator.Evaluate(plans).size();

  // 100,000 simulations in 2 ms would be 20 ns each.
  EXPECT_LT(num_evaluated, plans.size());
  EXPECT_TRUE(evaluator.is_done());
  EXPECT_EQ(evaluator.num_evaluations(), static_cast<std::int64_t>(num_evaluated));
}

TEST(EvaluatorTest, EvaluationsLeftIsAtMostWhatIsAsked) {
  Evaluator evaluator(ChainProblem(), {.budget = {.evaluations = 5}});
  (void)evaluator.Evaluate(TakesTenUs());

  EXPECT_EQ(evaluator.EvaluationsLeft(100), 4);
  EXPECT_EQ(evaluator.EvaluationsLeft(3), 3);
}

TEST(EvaluatorTest, WithoutLimitEverythingIsLeft) {
  const Evaluator evaluator(ChainProblem(), {});

  EXPECT_EQ(evaluator.EvaluationsLeft(1'000'000), 1'000'000);
  EXPECT_EQ(evaluator.UsedShare(), 0.0);
}

TEST(EvaluatorTest, TheUsedShareCountsEvaluations) {
  Evaluator evaluator(ChainProblem(), {.budget = {.evaluations = 4}});
  (void)evaluator.Evaluate(TakesTenUs());

  EXPECT_EQ(evaluator.UsedShare(), 0.25);
}

TEST(EvaluatorTest, TheUsedShareIsTheLargerOne) {
  Evaluator evaluator(ChainProblem(), {.budget = {.evaluations = 2, .seconds = 1e6}});
  (void)evaluator.Evaluate(TakesTenUs());

  EXPECT_EQ(evaluator.UsedShare(), 0.5);
}

TEST(EvaluatorTest, TheHistoryHoldsEachImprovement) {
  Evaluator evaluator(ChainProblem(), {});
  (void)evaluator.Evaluate(std::vector{
      TakesTwelveUs(), TakesTwelveUs(), TakesElevenUs(), TakesTwelveUs(), TakesTenUs()});

  ASSERT_EQ(evaluator.history().size(), 3U);
  EXPECT_EQ(evaluator.history()[0].evaluations, 1);
  EXPECT_EQ(evaluator.history()[1].evaluations, 3);
  EXPECT_EQ(evaluator.history()[2].evaluations, 5);
  EXPECT_EQ(evaluator.history()[2].result.makespan, Microseconds(10));
}

TEST(EvaluatorTest, TheHistoryFallsInScoreAndRisesInTime) {
  Evaluator evaluator(ChainProblem(), {.num_threads = 2});
  for (int i = 0; i < 20; ++i) {
    (void)evaluator.Evaluate(std::vector{TakesTwelveUs(), TakesElevenUs(), TakesTenUs()});
  }

  const auto& history = evaluator.history();
  ASSERT_EQ(history.size(), 3U);
  for (std::size_t i = 1; i < history.size(); ++i) {
    EXPECT_LT(history[i].score, history[i - 1].score);
    EXPECT_GE(history[i].seconds, history[i - 1].seconds);
  }
}

TEST(EvaluatorTest, OfEqualPlansTheEarlierStays) {
  Evaluator evaluator(ChainProblem(), {});
  (void)evaluator.Evaluate(std::vector{PlacedOn({1, 1, 1}), PlacedOn({0, 0, 0})});

  EXPECT_EQ(evaluator.best()->plan, PlacedOn({1, 1, 1}));
  EXPECT_EQ(evaluator.history().size(), 1U);
}

// Hungry: b allocates 2,000,000 bytes on a device of 1,000,000. Queues are FIFO, a stands before b.
TEST(EvaluatorTest, WhileNothingFitsTheLongestRunIsBest) {
  Evaluator evaluator(HungryProblem(2'000'000), {});
  const sim::Plan fails_at_once = PlacedOn({0, 1});
  const sim::Plan fails_after_a = PlacedOn({0, 0});

  const auto evaluations =
      evaluator.Evaluate(std::vector{fails_at_once, fails_after_a, fails_at_once});

  EXPECT_EQ(evaluations[0].result.makespan, SimTime{});
  EXPECT_EQ(evaluations[1].result.makespan, Microseconds(2));
  EXPECT_EQ(evaluations[1].score, std::numeric_limits<double>::infinity());
  EXPECT_EQ(evaluator.best()->plan, fails_after_a);
  EXPECT_EQ(evaluator.num_failures(), 3);
  EXPECT_TRUE(evaluator.history().empty());
}

// a makes 600,000 bytes and b, which does not read them, 600,000 more: together they do not fit.
TEST(EvaluatorTest, AnyFeasiblePlanBeatsAnInfeasibleOne) {
  sim::OpSpec a = TimedOp("a", 2, {}, {600'000});
  a.outputs[0].keep = true;
  Evaluator evaluator(MakeProblem(MakeGraph({a, TimedOp("b", 3, {}, {600'000})}), MeshMachine(2)),
                      {});

  (void)evaluator.Evaluate(PlacedOn({0, 0}));
  EXPECT_FALSE(evaluator.best()->evaluation.is_feasible());
  (void)evaluator.Evaluate(PlacedOn({0, 1}));
  (void)evaluator.Evaluate(PlacedOn({0, 0}));

  EXPECT_EQ(evaluator.best()->plan, PlacedOn({0, 1}));
  ASSERT_EQ(evaluator.history().size(), 1U);
  EXPECT_EQ(evaluator.history()[0].evaluations, 2);
}

TEST(EvaluatorTest, AnIllegalPlanThrowsAndIsNotCounted) {
  for (const std::size_t num_threads : {1U, 2U}) {
    Evaluator evaluator(ChainProblem(), {.num_threads = num_threads});

    EXPECT_THROW((void)evaluator.Evaluate(
                     std::vector{TakesTwelveUs(), TakesElevenUs(), Illegal(), TakesTenUs()}),
                 PlanError);

    EXPECT_EQ(evaluator.num_evaluations(), 2);
    EXPECT_DOUBLE_EQ(evaluator.best()->evaluation.score, 11e-6);
  }
}

TEST(EvaluatorTest, ARaisedInterruptCountsAsASpentBudget) {
  InterruptFlag interrupt;
  Evaluator evaluator(ChainProblem(), {.interrupt = &interrupt});
  (void)evaluator.Evaluate(TakesTwelveUs());
  interrupt.Raise();

  EXPECT_TRUE(evaluator.is_done());
  EXPECT_EQ(evaluator.EvaluationsLeft(7), 0);
  EXPECT_FALSE(evaluator.Evaluate(TakesTenUs()).has_value());
  EXPECT_DOUBLE_EQ(evaluator.best()->evaluation.score, 12e-6);
}

TEST(EvaluatorTest, AnInterruptEndsABatchSoon) {
  InterruptFlag interrupt;
  Evaluator evaluator(ChainProblem(), {.num_threads = 2, .interrupt = &interrupt});
  const std::vector<sim::Plan> plans(300'000, TakesTenUs());

  std::chrono::steady_clock::time_point raised_at;
  std::jthread other([&] {
    raised_at = std::chrono::steady_clock::now();
    interrupt.Raise();
  });
  const std::size_t num_evaluated = evaluator.Evaluate(plans).size();
  const auto ended_at = std::chrono::steady_clock::now();
  other.join();

  // 300,000 simulations take far longer than a thread takes to start.
  EXPECT_LT(num_evaluated, plans.size());
  EXPECT_LT(std::chrono::duration<double>(ended_at - raised_at).count(), 0.2);
}

TEST(EvaluatorTest, ProgressIsReportedAfterEachBatchInTheCallersThread) {
  std::vector<std::int64_t> seen;
  const auto caller = std::this_thread::get_id();
  Evaluator evaluator(ChainProblem(), {.num_threads = 2, .on_progress = [&](const Evaluator& e) {
                                         EXPECT_EQ(std::this_thread::get_id(), caller);
                                         seen.push_back(e.num_evaluations());
                                       }});
  (void)evaluator.Evaluate(std::vector{TakesTenUs(), TakesTenUs()});
  (void)evaluator.Evaluate(TakesTenUs());

  EXPECT_EQ(seen, (std::vector<std::int64_t>{2, 3}));
}

// The results that must not depend on the number of threads.
struct Trail {
  std::vector<double> scores;
  std::vector<std::pair<std::int64_t, double>> history;
  sim::Plan best;
  friend bool operator==(const Trail&, const Trail&) = default;
};

// Random placements of 30 ops with random edges, some of which do not fit into memory.
Trail SearchAtRandom(std::size_t num_threads) {
  Rng rng(5);
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 30; ++i) {
    std::vector<sim::InputRef> inputs;
    if (i > 0) {
      inputs = {{rng.Between(0, i - 1), 0}, {rng.Between(0, i - 1), 0}};
    }
    ops.push_back(TimedOp("op" + std::to_string(i), rng.Between(1, 9), inputs, {120'000}));
  }
  Evaluator evaluator(MakeProblem(MakeGraph(ops), MeshMachine(3)), {.num_threads = num_threads});
  Trail trail;
  for (int batch = 0; batch < 10; ++batch) {
    std::vector<sim::Plan> plans;
    for (int i = 0; i < 40; ++i) {
      std::vector<std::int32_t> devices;
      for (std::size_t op = 0; op < 30; ++op) {
        devices.push_back(static_cast<std::int32_t>(rng.Below(3)));
      }
      plans.push_back(PlacedOn(devices));
    }
    for (const double score : Scores(evaluator.Evaluate(plans))) {
      trail.scores.push_back(score);
    }
  }
  for (const HistoryPoint& point : evaluator.history()) {
    trail.history.emplace_back(point.evaluations, point.score);
  }
  trail.best = evaluator.best()->plan;
  return trail;
}

TEST(EvaluatorTest, OneAndManyThreadsAgree) {
  const Trail alone = SearchAtRandom(1);

  ASSERT_EQ(alone.scores.size(), 400U);
  ASSERT_GE(alone.history.size(), 2U);
  EXPECT_EQ(SearchAtRandom(2), alone);
  EXPECT_EQ(SearchAtRandom(4), alone);
}

// Moves from TakesTenUs() to the plans of the same names.
Move ToElevenUs() {
  return {{.op = OpId(2), .device = DeviceId(1)}};
}
Move ToTwelveUs() {
  return {{.op = OpId(1), .device = DeviceId(1)}};
}

TEST(EvaluatorTest, NeighboursAreEvaluatedAsTheChangedPlans) {
  Evaluator evaluator(ChainProblem(), {.num_threads = 2});
  const std::vector moves = {ToTwelveUs(), ToElevenUs(), Move{}, ToTwelveUs(), ToElevenUs()};

  EXPECT_THAT(Scores(evaluator.EvaluateNeighbours(TakesTenUs(), moves)),
              ::testing::ElementsAre(12e-6, 11e-6, 10e-6, 12e-6, 11e-6));
  EXPECT_EQ(evaluator.num_evaluations(), 5);
  EXPECT_EQ(evaluator.best()->plan, TakesTenUs());
}

TEST(EvaluatorTest, NeighboursOfAPlanThatComesOneAtATimeStayTheSame) {
  Evaluator evaluator(ChainProblem(), {});
  for (int i = 0; i < 6; ++i) {
    const std::vector<Move> moves = {i % 2 == 0 ? ToElevenUs() : ToTwelveUs()};
    EXPECT_THAT(Scores(evaluator.EvaluateNeighbours(TakesTenUs(), moves)),
                ::testing::ElementsAre(i % 2 == 0 ? 11e-6 : 12e-6));
  }
  EXPECT_EQ(evaluator.best()->plan, TakesElevenUs());
}

TEST(EvaluatorTest, NeighboursWorseThanTheCutoffAreGivenUpAndNoFailures) {
  Evaluator evaluator(ChainProblem(), {});
  const std::vector moves = {ToTwelveUs(), ToElevenUs()};

  const std::vector<Evaluation> found = evaluator.EvaluateNeighbours(TakesTenUs(), moves, 11e-6);

  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].is_cut_off());
  EXPECT_EQ(found[1].score, 11e-6);
  EXPECT_EQ(evaluator.num_evaluations(), 2);
  EXPECT_EQ(evaluator.num_failures(), 0);
  EXPECT_EQ(evaluator.best()->plan, TakesElevenUs());
}

TEST(EvaluatorTest, NeighboursSpendTheBudget) {
  Evaluator evaluator(ChainProblem(), {.budget = {.evaluations = 1}});
  const std::vector moves = {ToTwelveUs(), ToElevenUs()};

  EXPECT_EQ(evaluator.EvaluateNeighbours(TakesTenUs(), moves).size(), 1U);
  EXPECT_TRUE(evaluator.EvaluateNeighbours(TakesTenUs(), moves).empty());
}

TEST(EvaluatorTest, NeighboursThatDoNotFitThrow) {
  Evaluator evaluator(ChainProblem(), {});
  const std::vector<Move> moves = {Move{{.op = OpId(0), .device = DeviceId(7)}}};

  EXPECT_THROW(evaluator.EvaluateNeighbours(TakesTenUs(), moves), PlanError);
}

}  // namespace
}  // namespace opyard::env
