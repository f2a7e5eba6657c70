#include "env/objective.h"

#include <gtest/gtest.h>

#include "sim/base/check.h"

namespace opyard::env {
namespace {

constexpr ObjectiveScale kScale{.reference_makespan = SimTime{2'000'000},
                                .largest_capacity = Bytes{500}};

sim::SimResult Completed() {
  return {.makespan = SimTime{3'000'000}, .peak_memory = Bytes{250}};
}

TEST(ObjectiveTest, MakespanCountsSeconds) {
  // 3,000,000 ps = 3e-6 s
  EXPECT_DOUBLE_EQ(Score({.kind = ObjectiveKind::kMakespan}, kScale, Completed()), 3e-6);
}

TEST(ObjectiveTest, PeakMemoryCountsBytes) {
  EXPECT_DOUBLE_EQ(Score({.kind = ObjectiveKind::kPeakMemory}, kScale, Completed()), 250.0);
}

TEST(ObjectiveTest, WeightsApplyToMultiplesOfTheScale) {
  const Objective objective{
      .kind = ObjectiveKind::kWeighted, .makespan_weight = 2.0, .peak_memory_weight = 4.0};

  // 2 · (3 us / 2 us) + 4 · (250 / 500) = 3 + 2
  EXPECT_DOUBLE_EQ(Score(objective, kScale, Completed()), 5.0);
}

TEST(ObjectiveTest, RunsThatDidNotCompleteHaveNoScore) {
  sim::SimResult result = Completed();
  result.outcome = sim::Outcome::kOutOfMemory;

  EXPECT_THROW((void)Score({}, kScale, result), InternalError);
}

}  // namespace
}  // namespace opyard::env
