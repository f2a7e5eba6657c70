#include "agents/learned/regal/advantages.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace opyard::agents::regal {
namespace {

TEST(OverOthersTest, IsTheRewardLessTheMeanOfTheOthers) {
  // 1 − (2 + 6) / 2, 2 − (1 + 6) / 2, 6 − (1 + 2) / 2.
  EXPECT_EQ(OverOthers(std::vector{1.0, 2.0, 6.0}), (std::vector{-3.0, -1.5, 4.5}));
  EXPECT_EQ(OverOthers(std::vector{7.0}), std::vector{0.0});
}

// Columns {5, 1} and {2, 4}. Mean of the other column less the loss: 3 − 5, 3 − 1; 3 − 2, 3 − 4.
// Less that of the one other sample of the column: −2 − 2, 2 + 2; 1 + 1, −1 − 1.
TEST(BestOfAdvantagesTest, OfOneAreDifferencesFromTheMean) {
  EXPECT_EQ(BestOfAdvantages(std::vector{5.0, 1.0, 2.0, 4.0}, 2, 1),
            (std::vector{-4.0, 4.0, 2.0, -2.0}));
}

// By how much `loss` is below the least of two of `others`, on average over all pairs.
double GainOverPairs(double loss, const std::vector<double>& others) {
  double sum = 0.0;
  double count = 0.0;
  for (std::size_t i = 0; i < others.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      sum += std::max(0.0, std::min(others[i], others[j]) - loss);
      count += 1.0;
    }
  }
  return sum / count;
}

TEST(BestOfAdvantagesTest, OfThreeAreMeansOverAllPairsOfOtherColumns) {
  const std::vector<double> losses = {5.0, 1.0, 2.0, 4.0, 3.0, 3.5, 1.0, 7.0};
  const std::vector<double> advantages = BestOfAdvantages(losses, 2, 3);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const std::size_t twin = i ^ 1U;
    std::vector<double> others;
    for (std::size_t j = 0; j < losses.size(); ++j) {
      if (j / 2 != i / 2) {
        others.push_back(losses[j]);
      }
    }
    EXPECT_NEAR(advantages[i],
                GainOverPairs(losses[i], others) - GainOverPairs(losses[twin], others),
                1e-12);
  }
}

// A policy with one weight that samples a loss of 0 with probability p = 1/3, of 1 with the rest:
// ∇ ln p = 1 − p or −p. There are two columns of two samples. Over all 16 outcomes the mean of
// Σ advantage · ∇ ln p / 4 is minus half the gradient of the expected least loss of two, (1 − p)².
// That is (1 − p) · p (1 − p).
TEST(BestOfAdvantagesTest, FollowTheGradientOfTheExpectedLeastLoss) {
  const double p = 1.0 / 3.0;
  double estimate = 0.0;
  for (unsigned outcome = 0; outcome < 16; ++outcome) {
    double probability = 1.0;
    std::vector<double> losses;
    std::vector<double> scores;
    for (unsigned sample = 0; sample < 4; ++sample) {
      const bool is_good = (outcome >> sample & 1U) != 0;
      probability *= is_good ? p : 1.0 - p;
      losses.push_back(is_good ? 0.0 : 1.0);
      scores.push_back(is_good ? 1.0 - p : -p);
    }
    const std::vector<double> advantages = BestOfAdvantages(losses, 2, 2);
    for (std::size_t i = 0; i < 4; ++i) {
      estimate += probability * advantages[i] * scores[i] / 4.0;
    }
  }
  EXPECT_NEAR(estimate, (1.0 - p) * p * (1.0 - p), 1e-12);
}

}  // namespace
}  // namespace opyard::agents::regal
