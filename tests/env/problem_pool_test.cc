#include "env/problem_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/env/small_problems.h"

namespace opyard::env {
namespace {

using ::opyard::testing::PlacedOn;

ProblemSource Alone(const std::string& name, double weight) {
  return {.name = name, .weight = weight, .sample = [name, problem = ChainProblem()](Rng&) {
            return PooledProblem{.name = name, .problem = problem};
          }};
}

TEST(ProblemPoolTest, SamplesFollowTheWeights) {
  ProblemPool pool({Alone("often", 3.0), Alone("seldom", 1.0)}, {});
  Rng rng(1);
  for (int i = 0; i < 4000; ++i) {
    pool.Sample(rng, [](const PooledProblem&, Evaluator&) {});
  }
  // 4000 samples with probability 3/4: 3000 ± 27 at one standard deviation, √(4000 · 3/16).
  EXPECT_NEAR(static_cast<double>(pool.uses().at("often").samples), 3000.0, 110.0);
  EXPECT_EQ(pool.uses().at("often").samples + pool.uses().at("seldom").samples, 4000);
}

TEST(ProblemPoolTest, WhatIsSampledDependsOnTheGeneratorAlone) {
  const auto sampled = [](std::size_t num_threads) {
    ProblemPool pool({Alone("a", 1.0), Alone("b", 1.0), Alone("c", 1.0)},
                     {.num_threads = num_threads});
    std::string names;
    for (std::uint64_t update = 0; update < 30; ++update) {
      Rng rng = Rng(4).Fork(update);
      pool.Sample(rng, [&](const PooledProblem& problem, Evaluator& evaluator) {
        names += problem.name;
        (void)evaluator.Evaluate(std::vector(update, PlacedOn({0, 0, 0})));
      });
    }
    return names;
  };
  EXPECT_EQ(sampled(1), sampled(2));
}

TEST(ProblemPoolTest, EvaluationsAndProcessorTimeAreKeptByProblem) {
  ProblemPool pool({Alone("a", 1.0)}, {.num_threads = 2});
  Rng rng(1);
  for (int i = 0; i < 3; ++i) {
    pool.Sample(rng, [&](const PooledProblem&, Evaluator& evaluator) {
      EXPECT_EQ(evaluator.num_evaluations(), 0);
      (void)evaluator.Evaluate(std::vector(5, PlacedOn({0, 0, 0})));
    });
  }
  EXPECT_EQ(pool.uses().at("a").evaluations, 15);
  EXPECT_GT(pool.uses().at("a").cpu_seconds, 0.0);
}

TEST(ProblemPoolTest, RestoredCountsGoOn) {
  ProblemPool pool({Alone("a", 1.0)}, {});
  pool.Restore({{"a", {.samples = 2, .evaluations = 10, .cpu_seconds = 1.5}},
                {"b", {.samples = 1, .evaluations = 4, .cpu_seconds = 0.5}}});
  Rng rng(1);
  pool.Sample(rng, [&](const PooledProblem&, Evaluator& evaluator) {
    (void)evaluator.Evaluate(PlacedOn({0, 0, 0}));
  });
  EXPECT_EQ(pool.uses().at("a").samples, 3);
  EXPECT_EQ(pool.uses().at("a").evaluations, 11);
  EXPECT_GE(pool.uses().at("a").cpu_seconds, 1.5);
  EXPECT_EQ(pool.uses().at("b").evaluations, 4);
}

TEST(ProblemPoolTest, AnInterruptEndsIt) {
  InterruptFlag interrupt;
  ProblemPool pool({Alone("a", 1.0)}, {.interrupt = &interrupt});
  EXPECT_FALSE(pool.is_done());
  interrupt.Raise();
  EXPECT_TRUE(pool.is_done());
  Rng rng(1);
  pool.Sample(rng, [&](const PooledProblem&, Evaluator& evaluator) {
    EXPECT_FALSE(evaluator.Evaluate(PlacedOn({0, 0, 0})).has_value());
  });
}

}  // namespace
}  // namespace opyard::env
