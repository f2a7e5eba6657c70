#include "env/features/feature_scales.h"

#include <limits>

#include <gtest/gtest.h>

namespace opyard::env {
namespace {

TEST(SquashTest, IsHalfWhereBothSidesAreEqualAndGrowsFromZeroToOne) {
  EXPECT_EQ(Squash(3, 3), 0.5);
  EXPECT_DOUBLE_EQ(Squash(1, 4), 1.0 / 3);   // √(1/4) = 1/2 to 1
  EXPECT_DOUBLE_EQ(Squash(16, 1), 4.0 / 5);  // √16 = 4 to 1
  EXPECT_EQ(Squash(1e308, 1e-308), 1.0);
}

TEST(SquashTest, OfNothingIsZeroAndAgainstNothingOne) {
  EXPECT_EQ(Squash(0, 5), 0.0);
  EXPECT_EQ(Squash(0, 0), 0.0);
  EXPECT_EQ(Squash(5, 0), 1.0);
}

}  // namespace
}  // namespace opyard::env
