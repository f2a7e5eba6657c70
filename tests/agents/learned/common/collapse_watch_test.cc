#include "agents/learned/common/collapse_watch.h"

#include <gtest/gtest.h>

namespace opyard::agents {
namespace {

using Plan = std::vector<std::int64_t>;

constexpr std::int64_t kUpdates = 3;
constexpr std::int64_t kGroups = 3;

// Two samples.
torch::Tensor Samples(const Plan& first, const Plan& second) {
  return torch::stack({torch::tensor(first, torch::kLong), torch::tensor(second, torch::kLong)});
}

TEST(CollapseWatchTest, OnePlanAgainAndAgainIsACollapse) {
  CollapseWatch watch(kUpdates, kGroups);
  for (int update = 0; update < 3; ++update) {  // the first of them is the one that is new
    watch.Observe(Samples({0, 1, 1}, {0, 1, 1}));
    EXPECT_FALSE(watch.sees_collapse());
  }
  watch.Observe(Samples({0, 1, 1}, {0, 1, 1}));
  EXPECT_TRUE(watch.sees_collapse());
}

TEST(CollapseWatchTest, AFewPlansInTurnAreACollapseToo) {
  CollapseWatch watch(kUpdates, kGroups);
  watch.Observe(Samples({0, 1, 1}, {0, 1, 0}));
  watch.Observe(Samples({0, 1, 0}, {0, 1, 0}));
  watch.Observe(Samples({0, 1, 1}, {0, 1, 0}));
  EXPECT_FALSE(watch.sees_collapse());
  watch.Observe(Samples({0, 1, 0}, {0, 1, 1}));
  EXPECT_TRUE(watch.sees_collapse());
}

TEST(CollapseWatchTest, ANewPlanInOneSampleStartsTheCountAnew) {
  CollapseWatch watch(kUpdates, kGroups);
  for (int update = 0; update < 3; ++update) {
    watch.Observe(Samples({0, 1, 1}, {0, 1, 1}));
  }
  watch.Observe(Samples({0, 1, 1}, {1, 1, 1}));
  EXPECT_EQ(watch.state().num_stale, 0);
  EXPECT_FALSE(watch.sees_collapse());
}

// With one more plan than it remembers, each has been forgotten when its turn comes again.
TEST(CollapseWatchTest, PlansOfLongAgoAreNewAgain) {
  CollapseWatch watch(1, kGroups);
  for (std::int64_t update = 0; update < 200; ++update) {
    const Plan plan = {update % (CollapseWatch::kNumKnownPlans + 1), 0, 0};
    watch.Observe(Samples(plan, plan));
    ASSERT_FALSE(watch.sees_collapse());
  }
}

TEST(CollapseWatchTest, WithoutALimitNothingIsACollapse) {
  CollapseWatch watch(0, kGroups);
  for (int update = 0; update < 10; ++update) {
    watch.Observe(Samples({0, 1, 1}, {0, 1, 1}));
  }
  EXPECT_FALSE(watch.sees_collapse());
}

TEST(CollapseWatchTest, RestoredItGoesOnCounting) {
  CollapseWatch stopped(kUpdates, kGroups);
  for (int update = 0; update < 3; ++update) {
    stopped.Observe(Samples({0, 1, 1}, {0, 1, 1}));
  }
  CollapseWatch watch(kUpdates, kGroups);
  watch.Restore(stopped.state());
  watch.Observe(Samples({0, 1, 1}, {0, 1, 1}));
  EXPECT_TRUE(watch.sees_collapse());
}

}  // namespace
}  // namespace opyard::agents
