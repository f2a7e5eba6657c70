#include "agents/learned/hdp/logit_noise.h"

#include <cmath>

#include <gtest/gtest.h>

namespace opyard::agents::hdp {
namespace {

// Rows of root mean square √((9 + 16) / 2) = 3.5355 and √((0 + 2) / 2) = 1; half of that each.
TEST(HdpLogitNoiseTest, ItsStandardDeviationIsAShareOfTheRootMeanSquareOfTheLogits) {
  const torch::Tensor logits = torch::tensor({{3.0, 4.0}, {0.0, std::sqrt(2.0)}}, torch::kDouble);
  const torch::Tensor normal = torch::tensor({{1.0, 0.0}, {0.0, -2.0}}, torch::kDouble);
  const torch::Tensor of_rows = WithNoise(logits, normal, 0.5, {-1});
  EXPECT_NEAR(of_rows[0][0].item<double>(), 3.0 + 0.5 * std::sqrt(12.5), 1e-12);
  EXPECT_NEAR(of_rows[0][1].item<double>(), 4.0, 1e-12);
  EXPECT_NEAR(of_rows[1][1].item<double>(), std::sqrt(2.0) - 1.0, 1e-12);
  // Over all four: √((9 + 16 + 0 + 2) / 4).
  const torch::Tensor of_all = WithNoise(logits, normal, 0.5, {0, 1});
  EXPECT_NEAR(of_all[0][0].item<double>(), 3.0 + 0.5 * std::sqrt(27.0 / 4.0), 1e-12);
}

// 20,000 numbers: the standard deviation of their mean is 0.007, that of their variance 0.01.
TEST(HdpLogitNoiseTest, NumbersHaveMean0AndVariance1) {
  Rng rng(1);
  const torch::Tensor normal = StandardNormal({200, 100}, rng);
  EXPECT_NEAR(normal.mean().item<double>(), 0.0, 0.03);
  EXPECT_NEAR(normal.square().mean().item<double>(), 1.0, 0.04);
}

}  // namespace
}  // namespace opyard::agents::hdp
