#include "agents/learned/common/entropy_schedule.h"

#include <gtest/gtest.h>

namespace opyard::agents {
namespace {

TEST(EntropyScheduleTest, TheWeightFallsLinearlyOverItsShareOfTheBudget) {
  const EntropySchedule schedule{.weight = 2.0, .share = 0.8};
  EXPECT_EQ(EntropyWeight(schedule, {.used_share = 0.0}), 2.0);
  EXPECT_EQ(EntropyWeight(schedule, {.used_share = 0.2}), 1.5);  // 2 · (1 − 0.2 / 0.8)
  EXPECT_EQ(EntropyWeight(schedule, {.used_share = 0.8}), 0.0);
  EXPECT_EQ(EntropyWeight(schedule, {.used_share = 1.0}), 0.0);
}

TEST(EntropyScheduleTest, ANumberOfUpdatesStandsInForTheShare) {
  const EntropySchedule schedule{.weight = 2.0, .share = 0.8, .num_updates = 8};
  EXPECT_EQ(EntropyWeight(schedule, {.num_updates = 2, .used_share = 0.8}), 1.5);  // 2 · (1 − 2/8)
  EXPECT_EQ(EntropyWeight(schedule, {.num_updates = 9}), 0.0);
}

TEST(EntropyScheduleTest, WithNeitherTheWeightStays) {
  const EntropySchedule schedule{.weight = 2.0};
  EXPECT_EQ(EntropyWeight(schedule, {.num_updates = 1000, .used_share = 1.0}), 2.0);
  EXPECT_EQ(FallenShare(schedule, {.num_updates = 1000, .used_share = 1.0}), 0.0);
}

}  // namespace
}  // namespace opyard::agents
