#include "experiments/statistics/head_room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/statistics/best_known_plans.h"

namespace opyard::experiments {
namespace {

using ::testing::HasSubstr;
using testing::KnownPlan;

// A plan for `tasks` that is `ratio` times as good as the expert's.
BestKnownPlan PlanWith(const std::string& tasks, double ratio) {
  BestKnownPlan plan = KnownPlan();
  plan.problem.tasks = tasks;
  plan.best.score = 0.5;
  plan.expert = PlanWorth{.makespan = SimTime{1}, .score = 0.5 * ratio};
  return plan;
}

BestKnownPlan PlanWithoutExpert(const std::string& tasks) {
  BestKnownPlan plan = KnownPlan();
  plan.problem.tasks = tasks;
  plan.expert.reset();
  return plan;
}

TEST(HeadRoomTest, GeomeansAreOverEachListOfTasksAndOverAll) {
  const std::vector<HeadRoom> rooms = HeadRoomsOf(
      {PlanWith("placement", 2.0), PlanWith("fusion", 27.0), PlanWith("placement", 4.0)});
  ASSERT_EQ(rooms.size(), 3U);
  EXPECT_EQ(rooms[0].tasks, "placement");
  EXPECT_EQ(rooms[0].num_problems, 2U);
  EXPECT_NEAR(*rooms[0].geomean, 2.8284271247461903, 1e-12);  // √(2 · 4), to rounding of log, exp
  EXPECT_EQ(rooms[1].tasks, "fusion");
  EXPECT_NEAR(*rooms[1].geomean, 27.0, 1e-12);
  EXPECT_EQ(rooms[2].tasks, "");
  EXPECT_NEAR(*rooms[2].geomean, 6.0, 1e-12);  // ∛(2 · 27 · 4) = ∛216
}

TEST(HeadRoomTest, AProblemWithoutAnExpertsPlanHasNoRatioAndIsCounted) {
  const std::vector<BestKnownPlan> plans = {PlanWithoutExpert("placement"),
                                            PlanWith("placement", 3.0)};
  const HeadRoom room = HeadRoomsOf(plans).front();
  EXPECT_EQ(room.num_problems, 2U);
  EXPECT_EQ(room.num_ratios, 1U);
  EXPECT_NEAR(*room.geomean, 3.0, 1e-12);
  EXPECT_THAT(BestKnownText(plans),
              HasSubstr("expert / best known, placement: geomean 3.000 over 1 of 2 problems\n"));
  EXPECT_FALSE(HeadRoomsOf({PlanWithoutExpert("placement")}).front().geomean.has_value());
  EXPECT_FALSE(HeadRoomsOf({}).front().geomean.has_value());
}

TEST(HeadRoomTest, AScoreOfNothingHasNoRatio) {
  BestKnownPlan plan = KnownPlan();
  plan.best.score = 0.0;
  EXPECT_FALSE(RatioOf(plan).has_value());
}

TEST(HeadRoomTest, TheTableHasALinePerPlan) {
  BestKnownPlan other = KnownPlan();
  other.problem.objective = "peak_memory";
  other.problem.fusion = "none";
  other.best.score = 2048;
  other.expert->score = 4096;
  const std::string text = BestKnownText({KnownPlan(), other});
  EXPECT_THAT(text, HasSubstr("14.000 ms    7.000 ms        2.000"));
  EXPECT_THAT(text, HasSubstr("placement,scheduling; peak_memory; fusion none"));
  EXPECT_THAT(text, HasSubstr("4.00 KiB    2.00 KiB        2.000"));
  EXPECT_THAT(text, HasSubstr("all tasks: geomean 2.000 over 2 problems\n"));
}

}  // namespace
}  // namespace opyard::experiments
