#include "agents/learned/go/row_order.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace opyard::agents::go {
namespace {

// All orders of so many rows as places, int64 [R!, R].
torch::Tensor AllPlaces(std::int64_t num_rows) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(num_rows));
  std::iota(places.begin(), places.end(), 0);
  std::vector<std::int64_t> flat;
  do {
    flat.insert(flat.end(), places.begin(), places.end());
  } while (std::ranges::next_permutation(places).found);
  return torch::tensor(flat, torch::kLong).view({-1, num_rows});
}

torch::Tensor FiveScores() {
  return torch::tensor({{0.3, -1.1, 2.0, 0.7, -0.4}}, torch::kDouble);
}

// 3 rows with weights exp z of 2, 3 and 5. The order 1, 2, 0: 3/10 · 5/7 · 1.
TEST(RowOrderTest, EachPlaceIsSampledAmongTheRowsThatAreLeft) {
  const torch::Tensor scores = torch::tensor({{2.0, 3.0, 5.0}}, torch::kDouble).log();
  const OrderLogProbs evaluated = EvaluateOrders(scores, torch::tensor({{2, 0, 1}}, torch::kLong));
  const torch::Tensor expected = torch::tensor({{3.0 / 10.0, 5.0 / 7.0, 1.0}}, torch::kDouble);
  EXPECT_TRUE(torch::allclose(evaluated.log_probs.exp(), expected, 0.0, 1e-12));
}

// 5! = 120 orders.
TEST(RowOrderTest, TheProbabilitiesOfAllOrdersAddUpToOne) {
  const OrderLogProbs evaluated = EvaluateOrders(FiveScores(), AllPlaces(5));
  EXPECT_EQ(evaluated.log_probs.size(0), 120);
  EXPECT_NEAR(evaluated.log_probs.sum(1).exp().sum().item<double>(), 1.0, 1e-12);
}

// By the chain rule, the expected entropies of the decisions add up to that of the order.
TEST(RowOrderTest, TheEntropiesOfTheDecisionsAddUpToThatOfTheOrder) {
  const OrderLogProbs evaluated = EvaluateOrders(FiveScores(), AllPlaces(5));
  const torch::Tensor log_probs = evaluated.log_probs.sum(1);
  const double of_decisions = (log_probs.exp() * evaluated.entropy.sum(1)).sum().item<double>();
  EXPECT_NEAR(of_decisions, -(log_probs.exp() * log_probs).sum().item<double>(), 1e-12);
  EXPECT_NEAR(evaluated.entropy.select(1, 4).abs().max().item<double>(), 0.0, 1e-12);
}

// The expected reward over all 120 orders, and the mean entropy, with rewards at will.
double Value(const torch::Tensor& scores) {
  const OrderLogProbs evaluated = EvaluateOrders(scores, AllPlaces(5));
  const torch::Tensor rewards = torch::arange(120, torch::kDouble).mul(0.7).sin();
  return ((evaluated.log_probs.sum(1).exp() * rewards).sum() + evaluated.entropy.mean())
      .item<double>();
}

// Against central differences of h = 1e-5, whose error is about h² = 1e-10.
TEST(RowOrderTest, TheGradientIsThatOfTheEnumeratedExpectation) {
  const torch::Tensor scores = FiveScores().requires_grad_();
  const OrderLogProbs evaluated = EvaluateOrders(scores, AllPlaces(5));
  const torch::Tensor rewards = torch::arange(120, torch::kDouble).mul(0.7).sin();
  ((evaluated.log_probs.sum(1).exp() * rewards).sum() + evaluated.entropy.mean()).backward();
  for (std::int64_t row = 0; row < 5; ++row) {
    const auto value_at = [&](double change) {
      torch::Tensor moved = FiveScores();
      moved[0][row] += change;
      return Value(moved);
    };
    const double difference = (value_at(1e-5) - value_at(-1e-5)) / 2e-5;
    EXPECT_NEAR(scores.grad()[0][row].item<double>(), difference, 1e-8);
  }
}

// There are 60,000 samples of 120 orders: χ² with 119 degrees of freedom stays below 119 + 5 √238 =
// 196 but once in a million. The least likely order is expected 8 times.
TEST(RowOrderTest, OrdersAreSampledAsOftenAsTheirProbabilitySays) {
  Rng rng(3);
  const torch::Tensor scores = torch::tensor({{0.3, -0.6, 0.9, 0.4, -0.4}});
  const torch::Tensor all = AllPlaces(5);
  const torch::Tensor expected = 60'000 * EvaluateOrders(scores, all).log_probs.sum(1).exp();
  const torch::Tensor base = torch::tensor({625, 125, 25, 5, 1}, torch::kLong);
  const torch::Tensor counts = torch::bincount(
      (SampleOrders(scores, 60'000, rng) * base).sum(1), {}, 3125);  // by the number of the places
  const torch::Tensor observed = counts.index_select(0, (all * base).sum(1)).to(torch::kFloat);
  EXPECT_EQ(observed.sum().item<double>(), 60'000.0);
  EXPECT_LT(((observed - expected).square() / expected).sum().item<double>(), 196.0);
}

TEST(RowOrderTest, EachSampleIsSampledByItsOwnScores) {
  Rng rng(1);
  const torch::Tensor scores = torch::tensor({{0.0, 500.0, 1000.0}, {1000.0, 500.0, 0.0}});
  const torch::Tensor places = SampleOrders(scores, 2, rng);
  EXPECT_TRUE(torch::equal(places, torch::tensor({{2, 1, 0}, {0, 1, 2}}, torch::kLong)));
}

TEST(RowOrderTest, TheLikeliestOrderIsTheOneOfGreatestProbability) {
  const torch::Tensor all = AllPlaces(5);
  const auto best =
      EvaluateOrders(FiveScores(), all).log_probs.sum(1).argmax().item<std::int64_t>();
  EXPECT_TRUE(torch::equal(LikeliestOrders(FiveScores())[0], all[best]));
}

// Scores 0, −700 and −1400: rows last to first have probability exp(−1400 − 700).
TEST(RowOrderTest, ScoresMayLieFarApart) {
  const torch::Tensor scores = torch::tensor({{0.0, -700.0, -1400.0}}).requires_grad_();
  const OrderLogProbs evaluated = EvaluateOrders(scores, torch::tensor({{2, 1, 0}}, torch::kLong));
  EXPECT_NEAR(evaluated.log_probs.sum().item<double>(), -2100.0, 1e-3);
  EXPECT_NEAR(evaluated.entropy.sum().item<double>(), 0.0, 1e-9);
  (evaluated.log_probs.sum() + evaluated.entropy.sum()).backward();
  // d/dz of z₂ − ln Σ exp z at the first place, of z₁ − ln(exp z₀ + exp z₁) at the second.
  EXPECT_TRUE(torch::allclose(scores.grad(), torch::tensor({{-2.0, 1.0, 1.0}}), 0.0, 1e-6));
}

// 4 rows, 20 levels: ⌊20 · 3/4⌋, ⌊20 · 2/4⌋, ⌊20 · 1/4⌋, 0.
TEST(RowOrderTest, ALevelStandsForAPlace) {
  EXPECT_TRUE(torch::equal(LevelsOfPlaces(torch::tensor({{0, 1, 2, 3}}, torch::kLong), 20),
                           torch::tensor({{15, 10, 5, 0}}, torch::kLong)));
}

TEST(RowOrderTest, EqualKeysStandInTheOrderOfTheirRows) {
  EXPECT_TRUE(torch::equal(PlacesByKey(torch::tensor({{2.0, 1.0, 2.0, 0.5}})),
                           torch::tensor({{2, 1, 3, 0}}, torch::kLong)));
}

}  // namespace
}  // namespace opyard::agents::go
