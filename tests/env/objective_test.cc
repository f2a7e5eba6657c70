#include "env/objective.h"

#include <cstdint>
#include <limits>

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

TEST(MakespanLimitTest, NoMakespanWithinTheCutoffLiesAboveIt) {
  const ObjectiveScale scale{.reference_makespan = SimTime{3'000'000},
                             .largest_capacity = Bytes{1000}};
  const Objective makespan;
  const Objective weighted{
      .kind = ObjectiveKind::kWeighted, .makespan_weight = 2.0, .peak_memory_weight = 1.0};
  // 5 us are 2 * 5/3 of the weighted score when nothing is held.
  EXPECT_GE(MakespanLimit(makespan, scale, 5e-6), SimTime{5'000'000});
  EXPECT_LT(MakespanLimit(makespan, scale, 5e-6), SimTime{5'000'010});
  EXPECT_GE(MakespanLimit(weighted, scale, 10.0 / 3.0), SimTime{5'000'000});
  EXPECT_LT(MakespanLimit(weighted, scale, 10.0 / 3.0), SimTime{5'000'010});
}

TEST(MakespanLimitTest, ThereIsNoneWhereTheMakespanDoesNotDecide) {
  constexpr SimTime kNone{std::numeric_limits<std::int64_t>::max()};
  const ObjectiveScale scale{.reference_makespan = SimTime{3'000'000},
                             .largest_capacity = Bytes{1000}};
  EXPECT_EQ(MakespanLimit({.kind = ObjectiveKind::kPeakMemory}, scale, 5.0), kNone);
  EXPECT_EQ(MakespanLimit({.kind = ObjectiveKind::kWeighted, .makespan_weight = 0.0}, scale, 5.0),
            kNone);
  EXPECT_EQ(MakespanLimit({}, scale, std::numeric_limits<double>::infinity()), kNone);
}

}  // namespace
}  // namespace opyard::env
