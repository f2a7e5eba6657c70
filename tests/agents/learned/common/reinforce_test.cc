#include "agents/learned/common/reinforce.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace opyard::agents {
namespace {

TEST(ReinforceTest, MaskedChoicesHaveNoProbabilityAndNoGradient) {
  torch::Tensor logits = torch::tensor({{1.0F, 2.0F, 3.0F}}).requires_grad_();
  const torch::Tensor mask = torch::tensor({{1, 1, 0}}, torch::kByte).to(torch::kBool);
  const torch::Tensor log_probs = MaskedLogProbs(logits, mask);
  // The two that are left give e^2 / (e^1 + e^2) = 0.7310586.
  EXPECT_NEAR(log_probs[0][1].exp().item<double>(), 0.7310586, 1e-6);
  EXPECT_EQ(log_probs[0][2].exp().item<double>(), 0.0);
  log_probs[0][1].backward();
  EXPECT_EQ(logits.grad()[0][2].item<double>(), 0.0);
}

TEST(ReinforceTest, EntropyIgnoresMaskedChoices) {
  const torch::Tensor mask = torch::tensor({1, 1, 0, 1}, torch::kByte).to(torch::kBool);
  // Three equal choices: ln 3.
  EXPECT_NEAR(Entropy(MaskedLogProbs(torch::zeros({4}), mask)).item<double>(), std::log(3.0), 1e-6);
}

TEST(ReinforceTest, ChoicesFollowTheirProbabilities) {
  const torch::Tensor log_probs = torch::tensor({0.2F, 0.0F, 0.8F}).log().expand({5000, 3});
  Rng rng(1);
  const torch::Tensor choices = SampleChoices(log_probs, rng);
  EXPECT_FALSE((choices == 1).any().item<bool>());
  // Standard deviation of the share: √(0.2 · 0.8 / 5000) = 0.0057; four of them.
  EXPECT_NEAR((choices == 2).to(torch::kDouble).mean().item<double>(), 0.8, 0.023);
}

TEST(ReinforceTest, TheLossIsMinusTheMeanOfAdvantageTimesLogProbability) {
  const torch::Tensor loss =
      ReinforceLoss(torch::tensor({-2.0F, -3.0F}), torch::tensor({5.0F, -7.0F}));
  EXPECT_EQ(loss.item<double>(), -5.5);  // −(5 · −2 + −7 · −3) / 2 = −(−10 + 21) / 2
}

TEST(ReinforceTest, NormalisedAdvantagesHaveARootMeanSquareOfOne) {
  std::vector<double> advantages = {3.0, -4.0, 0.0, 0.0};
  Normalise(advantages);  // √((9 + 16) / 4) = 2.5
  EXPECT_EQ(advantages, (std::vector<double>{1.2, -1.6, 0.0, 0.0}));
}

TEST(ReinforceTest, EqualRewardsStayWithoutAdvantage) {
  std::vector<double> advantages = {1e-16, 0.0};
  Normalise(advantages);
  EXPECT_EQ(advantages, (std::vector<double>{1e-16, 0.0}));
}

// Four rewards: -1 is above three others, two are above one and below one, -10 is below three: 3/3,
// 0, 0 and -3/3 of √3.
TEST(ReinforceTest, RanksAreSpreadEvenlyAndEqualRewardsShareTheMiddle) {
  const std::vector<double> advantages =
      RankAdvantages(std::vector<double>{-2.0, -10.0, -2.0, -1.0});
  ASSERT_EQ(advantages.size(), 4U);
  EXPECT_DOUBLE_EQ(advantages[0], 0.0);
  EXPECT_DOUBLE_EQ(advantages[1], -std::numbers::sqrt3);
  EXPECT_DOUBLE_EQ(advantages[2], 0.0);
  EXPECT_DOUBLE_EQ(advantages[3], std::numbers::sqrt3);
}

TEST(ReinforceTest, RanksOfEqualRewardsAndOfOneAreNothing) {
  EXPECT_EQ(RankAdvantages(std::vector<double>{-2.0, -2.0}), (std::vector<double>{0.0, 0.0}));
  EXPECT_EQ(RankAdvantages(std::vector<double>{-2.0}), (std::vector<double>{0.0}));
}

TEST(ReinforceTest, TheBaselineStartsAtTheFirstMeanAndMovesByATenth) {
  RewardBaseline baseline(0.9);
  EXPECT_FALSE(baseline.value().has_value());
  baseline.Move({});  // failures only
  EXPECT_FALSE(baseline.value().has_value());
  baseline.Move(std::vector<double>{-2.0, -4.0});
  EXPECT_EQ(baseline.value(), -3.0);
  baseline.Move(std::vector<double>{-1.0});
  EXPECT_NEAR(*baseline.value(), -2.8, 1e-12);  // 0.9 · −3 + 0.1 · −1
}

TEST(ReinforceTest, WeightsAreThoseOfTheGivenGenerator) {
  torch::nn::Linear a(3, 2);
  torch::nn::Linear b(3, 2);
  Rng first(5);
  Rng second(5);
  InitialiseWeights(*a, first);
  InitialiseWeights(*b, second);
  EXPECT_TRUE(torch::equal(a->weight, b->weight));
  EXPECT_TRUE((a->bias == 0).all().item<bool>());
  // Glorot's bound for 2 × 3: √(6 / 5) = 1.0954.
  EXPECT_LT(a->weight.abs().max().item<double>(), 1.0955);
}

}  // namespace
}  // namespace opyard::agents
