#include "agents/genetic/beta_quantiles.h"

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

double Logit(double probability) {
  return std::log(probability / (1.0 - probability));
}

// A quantile near 0 or 1 stands in the file with 15 digits of itself, not of its distance from 1.
bool IsWellConditioned(double quantile) {
  return quantile > 1e-12 && quantile < 1.0 - 1e-4;
}

// 15 digits of a quantile, times a density · quantile below 1,000.
TEST(BetaLogProbabilitiesTest, AreThoseOfScipysQuantiles) {
  const std::vector<StoredQuantiles> all = ReadQuantiles();
  ASSERT_EQ(all.size(), 16U);
  for (const auto& [shape, quantiles] : all) {
    SCOPED_TRACE(std::to_string(shape.alpha) + ", " + std::to_string(shape.beta));
    for (std::size_t k = 0; k < quantiles.size(); ++k) {
      if (IsWellConditioned(quantiles[k])) {
        const double expected = static_cast<double>(k + 1) / 50.0;
        const auto [below, above] = BetaLogProbabilities(shape, Logit(quantiles[k]));
        EXPECT_NEAR(std::exp(below), expected, 1e-10) << k;
        EXPECT_NEAR(std::exp(above), 1.0 - expected, 1e-10) << k;
      }
    }
  }
}

// The greatest |P(At(p)) − p| for p = 1/2000 … 1999/2000. A quantile that no key of 24 bits
// distinguishes from 0 or 1 stands for all beyond it.
double GreatestError(const BetaShape& shape) {
  const BetaQuantiles quantiles(shape);
  double greatest = 0.0;
  for (int i = 1; i < 2000; ++i) {
    const double probability = i / 2000.0;
    const double quantile = quantiles.At(probability);
    if (quantile > 0x1p-24 && quantile < 1.0 - 0x1p-24) {
      const double found = std::exp(BetaLogProbabilities(shape, Logit(quantile)).below);
      greatest = std::max(greatest, std::abs(found - probability));
    }
  }
  return greatest;
}

TEST(BetaQuantilesTest, TheDistributionOfBinsIsWithinATenThousandth) {
  for (int mean = 0; mean < 16; ++mean) {
    for (int variance = 0; variance < 16; ++variance) {
      const BetaShape shape = BetaOfMean((mean + 0.5) / 16.0, (variance + 0.5) / 16.0);
      EXPECT_LT(GreatestError(shape), 1e-4) << mean << ", " << variance;
    }
  }
}

TEST(BetaQuantilesTest, TheDistributionOfAnyShapeIsWithinAThousandth) {
  for (const StoredQuantiles& stored : ReadQuantiles()) {
    EXPECT_LT(GreatestError(stored.shape), 1e-3) << stored.shape.alpha << ", " << stored.shape.beta;
  }
  EXPECT_LT(GreatestError({kMostBetaParameter, kMostBetaParameter}), 1e-3);
  EXPECT_LT(GreatestError({kLeastBetaParameter, kLeastBetaParameter}), 1e-3);
}

TEST(BetaQuantilesTest, NeverFallFromOneProbabilityToTheNext) {
  for (const StoredQuantiles& stored : ReadQuantiles()) {
    const BetaQuantiles quantiles(stored.shape);
    double last = 0.0;
    for (double probability = 0x1p-25; probability < 1.0; probability += 1e-4) {
      const double quantile = quantiles.At(probability);
      EXPECT_GE(quantile, last);
      EXPECT_LE(quantile, 1.0);
      last = quantile;
    }
  }
}

TEST(BetaQuantilesTest, AParameterOutOfRangeIsRefused) {
  EXPECT_THROW(BetaQuantiles({.alpha = 0.0, .beta = 1.0}), InternalError);
  EXPECT_THROW(BetaQuantiles({.alpha = 1.0, .beta = 1e5}), InternalError);
}

}  // namespace
}  // namespace opyard::agents
