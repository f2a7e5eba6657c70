#include "agents/planning/local_search/operator_selection.h"

#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opyard::agents {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

constexpr double kRounding = 1e-12;

TEST(OperatorSelectionTest, BeforeAnythingIsLearntTheSharesCount) {
  const OperatorSelection shares({3.0, 1.0, 0.0});
  EXPECT_THAT(shares.Probabilities(),
              ElementsAre(DoubleNear(0.75, kRounding), DoubleNear(0.25, kRounding), 0.0));
}

// One success of kind 0 and one failure of kind 1. By the time both are in, the first has faded
// once: trials 0.998 and 1, successes 0.998 and 0; with what is known before, 2.998 and 1.098 in
// all, so that the common rate is r = 1.098 / 2.998. Rates (0.998 + 20 r) / 20.998 and 20 r / 21.
TEST(OperatorSelectionTest, TheRatesOfSuccessCount) {
  OperatorSelection shares({1.0, 1.0});
  shares.Learn(0, true);
  shares.Learn(1, false);
  const double common = 1.098 / 2.998;
  const double rates[] = {(0.998 + 20.0 * common) / 20.998, 20.0 * common / 21.0};
  const double first = 0.1 + 0.8 * rates[0] / (rates[0] + rates[1]);
  EXPECT_THAT(shares.Probabilities(),
              ElementsAre(DoubleNear(first, kRounding), DoubleNear(1.0 - first, kRounding)));
}

TEST(OperatorSelectionTest, WhatNeverPaysIsStillTried) {
  OperatorSelection shares({1.0, 1.0});
  for (int i = 0; i < 10'000; ++i) {
    shares.Learn(0, true);
    shares.Learn(1, false);
  }
  // A fifth of the samples goes by the shares alone: 0.1 for each. Of each kind 250 trials count,
  // so that the rates are (250 + 20 · 0.5) / 270 and 20 · 0.5 / 270: 0.8 · 10 / 270 more.
  EXPECT_NEAR(shares.Probabilities()[1], 0.1 + 0.8 / 27.0, 0.001);
}

TEST(OperatorSelectionTest, WhatPaidLongAgoIsForgotten) {
  OperatorSelection shares({1.0, 1.0});
  for (int i = 0; i < 1'000; ++i) {
    shares.Learn(0, true);
    shares.Learn(1, false);
  }
  for (int i = 0; i < 5'000; ++i) {
    shares.Learn(0, false);
    shares.Learn(1, true);
  }
  EXPECT_GT(shares.Probabilities()[1], 0.85);
}

TEST(OperatorSelectionTest, SamplesGoByTheProbabilities) {
  OperatorSelection shares({2.0, 0.0, 1.0});
  for (int i = 0; i < 50; ++i) {
    shares.Learn(2, i % 2 == 0);
    shares.Learn(0, false);
  }
  const std::vector<double> expected = shares.Probabilities();
  EXPECT_NEAR(std::accumulate(expected.begin(), expected.end(), 0.0), 1.0, kRounding);
  Rng rng(1);
  std::vector<int> counts(3);
  for (int i = 0; i < 10'000; ++i) {
    ++counts[shares.Sample(rng)];
  }
  EXPECT_EQ(counts[1], 0);
  // A standard deviation is at most 50; five of them.
  EXPECT_NEAR(counts[0], 10'000 * expected[0], 250);
  EXPECT_NEAR(counts[2], 10'000 * expected[2], 250);
}

}  // namespace
}  // namespace opyard::agents
