#include "experiments/statistics/statistics.h"

#include <vector>

#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

TEST(StatisticsTest, IntervalIsStudents) {
  // 2, 3, 7: mean 4, deviations −2, −1, 3, s² = (4 + 1 + 9) / 2 = 7,
  // t(0.975; 2) · sqrt(7) / sqrt(3) = 4.3027 · 1.527525 = 6.57248
  const std::vector<double> values = {2.0, 3.0, 7.0};
  const MeanWithInterval mean = *MeanOf(values);
  EXPECT_DOUBLE_EQ(mean.mean, 4.0);
  EXPECT_NEAR(*mean.half_width, 6.57248, 1e-4);  // the quantile has five digits
}

TEST(StatisticsTest, OneValueHasNoIntervalAndNoneNoMean) {
  const std::vector<double> one = {3.0};
  EXPECT_EQ(MeanOf(one)->half_width, std::nullopt);
  EXPECT_FALSE(MeanOf({}).has_value());
}

TEST(StatisticsTest, QuantilesBeyondTheTableFollowOn) {
  // Published: t(0.975; 40) = 2.0211, (120) = 1.9799, (∞) = 1.9600.
  EXPECT_NEAR(StudentQuantile(40), 2.0211, 2e-4);
  EXPECT_NEAR(StudentQuantile(120), 1.9799, 2e-4);
  EXPECT_NEAR(StudentQuantile(1'000'000), 1.9600, 1e-4);
  EXPECT_GT(StudentQuantile(30), StudentQuantile(31));
}

}  // namespace
}  // namespace opyard::experiments
