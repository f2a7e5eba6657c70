#include "agents/search/simulated_annealing/temperature.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace opyard::agents {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(RelativeChangeTest, IsAShareOfTheOldScore) {
  EXPECT_DOUBLE_EQ(RelativeChange({.value = 4.0}, {.value = 5.0}), 0.25);
  EXPECT_DOUBLE_EQ(RelativeChange({.value = 5.0}, {.value = 4.0}), -0.2);
  EXPECT_EQ(RelativeChange({.value = 5.0}, {.value = 5.0}), 0.0);
}

TEST(RelativeChangeTest, RunningOutOfMemoryIsInfinitelyWorse) {
  const Fitness fits{.is_infeasible = false, .value = 100.0};
  const Fitness fails{.is_infeasible = true, .value = -1.0};
  EXPECT_EQ(RelativeChange(fits, fails), kInfinity);
  EXPECT_EQ(RelativeChange(fails, fits), -kInfinity);
}

TEST(RelativeChangeTest, RunningOutOfMemoryLaterIsBetter) {
  const Fitness early{.is_infeasible = true, .value = -2.0};
  const Fitness late{.is_infeasible = true, .value = -5.0};
  // 3 of 5 seconds.
  EXPECT_DOUBLE_EQ(RelativeChange(early, late), -0.6);
  EXPECT_DOUBLE_EQ(RelativeChange(late, early), 0.6);
}

TEST(CoolingTest, SpansTheRestOfTheBudgetInAHundredSteps) {
  const Cooling cooling({.initial = 2.0, .factor = 0.9}, 0.2);
  EXPECT_DOUBLE_EQ(cooling.At(0, 0.2).temperature, 2.0);
  // 0.6 is half of the way from 0.2 to 1: fifty steps.
  EXPECT_NEAR(cooling.At(999, 0.6).temperature, 2.0 * std::pow(0.9, 50), 1e-12);
  EXPECT_NEAR(cooling.At(0, 1.0).temperature, 2.0 * std::pow(0.9, 100), 1e-12);
}

TEST(CoolingTest, EachCycleStartsHot) {
  const Cooling cooling({.initial = 2.0, .factor = 0.9, .num_cycles = 4}, 0.0);
  EXPECT_EQ(cooling.At(0, 0.24).cycle, 0);
  EXPECT_EQ(cooling.At(0, 0.25).cycle, 1);
  EXPECT_DOUBLE_EQ(cooling.At(0, 0.25).temperature, 2.0);
  EXPECT_EQ(cooling.At(0, 1.0).cycle, 3);
}

TEST(CoolingTest, MovesPerTemperatureCountMoves) {
  const Cooling cooling({.initial = 1.0, .factor = 0.5, .moves_per_temperature = 10}, 0.0);
  EXPECT_DOUBLE_EQ(cooling.At(9, 0.9).temperature, 1.0);
  EXPECT_DOUBLE_EQ(cooling.At(10, 0.0).temperature, 0.5);
  EXPECT_DOUBLE_EQ(cooling.At(35, 0.0).temperature, 0.125);
  // 0.5^14 is the first below 1e-4: after 140 moves the next cycle begins.
  EXPECT_EQ(cooling.At(139, 0.0).cycle, 0);
  EXPECT_EQ(cooling.At(140, 0.0).cycle, 1);
  EXPECT_DOUBLE_EQ(cooling.At(140, 0.0).temperature, 1.0);
}

TEST(CoolingTest, WithoutCoolingTheTemperatureStays) {
  const Cooling cooling({.initial = 3.0, .factor = 1.0, .moves_per_temperature = 1}, 0.0);
  EXPECT_DOUBLE_EQ(cooling.At(1'000'000, 0.5).temperature, 3.0);
  EXPECT_EQ(cooling.At(1'000'000, 0.5).cycle, 0);
}

}  // namespace
}  // namespace opyard::agents
