#include "sim/cost/soft_maximum.h"

#include <limits>

#include <gtest/gtest.h>

namespace opyard::sim {
namespace {

TEST(SoftMaximumTest, WithExponentOneItIsTheSum) {
  EXPECT_DOUBLE_EQ(SoftMaximum(2, 3, 1), 5);
}

TEST(SoftMaximumTest, WithExponentTwoItIsTheHypotenuse) {
  EXPECT_DOUBLE_EQ(SoftMaximum(3, 4, 2), 5);
}

TEST(SoftMaximumTest, IsSymmetric) {
  EXPECT_EQ(SoftMaximum(3, 4, 2.5), SoftMaximum(4, 3, 2.5));
}

TEST(SoftMaximumTest, AZeroTermLeavesTheOther) {
  EXPECT_EQ(SoftMaximum(0, 7, 3), 7);
  EXPECT_EQ(SoftMaximum(7, 0, 3), 7);
  EXPECT_EQ(SoftMaximum(0, 0, 3), 0);
}

TEST(SoftMaximumTest, LargeExponentsGiveTheHardMaximum) {
  EXPECT_NEAR(SoftMaximum(3, 4, 1e6), 4, 4e-6);  // the excess is at most max · ln 2 / q
  EXPECT_EQ(SoftMaximum(4, 4, kHardMaximumQ), 4);
}

TEST(SoftMaximumTest, NothingOverflowsOrUnderflows) {
  EXPECT_DOUBLE_EQ(SoftMaximum(1e300, 1e300, 2), 1e300 * std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(SoftMaximum(1e-300, 1e-300, 2), 1e-300 * std::sqrt(2.0));
  EXPECT_EQ(SoftMaximum(1e-300, 1e300, 8), 1e300);
}

TEST(SoftMaximumTest, IsNeverBelowATermNorAboveTheSum) {
  for (const double q : {1.0, 1.5, 3.0, 8.0, 1000.0}) {
    for (const double a : {1e-9, 1e-6, 0.5, 2.0}) {
      const double soft = SoftMaximum(a, 1e-6, q);
      EXPECT_GE(soft, std::max(a, 1e-6));
      EXPECT_LE(soft, (a + 1e-6) * (1 + 1e-15));
    }
  }
}

}  // namespace
}  // namespace opyard::sim
