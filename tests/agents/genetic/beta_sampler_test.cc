#include "agents/genetic/beta_sampler.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "sim/base/check.h"
#include "tests/agents/genetic/stored_quantiles.h"

namespace opyard::agents {
namespace {

using testing::ReadQuantiles;
using testing::StoredQuantiles;

std::vector<double> SortedSamples(const BetaShape& shape, std::size_t count, std::uint64_t seed) {
  const BetaSampler sampler(shape);
  Rng rng(seed);
  std::vector<double> samples(count);
  std::ranges::generate(samples, [&] { return sampler.Sample(rng); });
  std::ranges::sort(samples);
  return samples;
}

TEST(BetaSamplerTest, SamplesHaveScipysQuantiles) {
  constexpr std::size_t kSamples = 40'000;
  // Dvoretzky, Kiefer and Wolfowitz, with Massart's constant: the share of samples up to x is
  // anywhere further from the distribution than b with a probability of at most 2·exp(−2nb²). With
  // 1e-6 that is b = sqrt(ln(2e6) / 2n) = sqrt(14.51 / 80,000) = 0.01347.
  const double bound = std::sqrt(std::log(2e6) / (2.0 * kSamples));
  const std::vector<StoredQuantiles> all = ReadQuantiles();
  ASSERT_EQ(all.size(), 16U);
  for (const auto& [shape, quantiles] : all) {
    SCOPED_TRACE(std::to_string(shape.alpha) + ", " + std::to_string(shape.beta));
    ASSERT_EQ(quantiles.size(), 49U);
    const std::vector<double> samples = SortedSamples(shape, kSamples, 5);
    for (std::size_t k = 0; k < quantiles.size(); ++k) {
      if (quantiles[k] > 1.0 - 1e-9) {
        continue;  // doubles are too sparse there to write the quantile
      }
      const auto below = std::ranges::upper_bound(samples, quantiles[k]) - samples.begin();
      EXPECT_NEAR(static_cast<double>(below) / kSamples, static_cast<double>(k + 1) / 50, bound)
          << k;
    }
  }
}

// Mean and variance need no table: over all means and spreads that a network may propose.
TEST(BetaSamplerTest, SamplesHaveTheMeanAndVarianceOfTheirShape) {
  constexpr std::size_t kSamples = 20'000;
  for (const double mean : {0.03, 0.3, 0.5, 0.9}) {
    for (const double spread : {0.002, 0.05, 0.4, 0.9, 0.99}) {
      SCOPED_TRACE(std::to_string(mean) + ", " + std::to_string(spread));
      const double variance = spread * mean * (1.0 - mean);
      const std::vector<double> samples = SortedSamples(BetaOfMean(mean, spread), kSamples, 3);
      double sum = 0.0;
      double squares = 0.0;
      for (const double sample : samples) {
        sum += sample;
        squares += (sample - mean) * (sample - mean);
      }
      // Five standard deviations of the mean. Squares lie in [0, 1] with mean `variance`, so that
      // their variance is at most `variance`.
      const double five = 5.0 / std::sqrt(kSamples);
      EXPECT_NEAR(sum / kSamples, mean, five * std::sqrt(variance));
      EXPECT_NEAR(squares / kSamples, variance, five * std::sqrt(variance));
    }
  }
}

TEST(BetaSamplerTest, ExchangingTheParametersMirrorsTheSamples) {
  // BB and BC go by the parameters' sizes, so that the very same numbers give x and 1 − x.
  for (const BetaShape shape : {BetaShape{2.0, 5.0}, BetaShape{0.4, 3.0}}) {
    Rng a(9);
    Rng b(9);
    for (int i = 0; i < 100; ++i) {
      EXPECT_NEAR(BetaSampler(shape).Sample(a),
                  1.0 - BetaSampler({shape.beta, shape.alpha}).Sample(b),
                  1e-15);
    }
  }
}

TEST(BetaSamplerTest, StaysFiniteAtTheEndsOfItsParameters) {
  for (const double alpha : {kLeastBetaParameter, 1.0, kMostBetaParameter}) {
    for (const double beta : {kLeastBetaParameter, 1.0, kMostBetaParameter}) {
      const std::vector<double> samples = SortedSamples({alpha, beta}, 2'000, 1);
      EXPECT_GE(samples.front(), 0.0);
      EXPECT_LE(samples.back(), 1.0);
    }
  }
}

TEST(BetaSamplerTest, RefusesParametersWithoutADistribution) {
  EXPECT_THROW(BetaSampler({.alpha = 0.0, .beta = 1.0}), InternalError);
  EXPECT_THROW(BetaSampler({.alpha = 1.0, .beta = 2e4}), InternalError);
  EXPECT_THROW(BetaSampler({.alpha = std::nan(""), .beta = 1.0}), InternalError);
}

TEST(BetaShapeTest, HasTheMeanAndSpreadThatItIsMadeFrom) {
  // alpha + beta = (1 − s) / s = 3, and the variance is m (1 − m) / (alpha + beta + 1) = s m (1 −
  // m).
  EXPECT_EQ(BetaOfMean(0.5, 0.25), (BetaShape{1.5, 1.5}));
  EXPECT_EQ(BetaOfMean(0.25, 0.25), (BetaShape{0.75, 2.25}));
}

}  // namespace
}  // namespace opyard::agents
