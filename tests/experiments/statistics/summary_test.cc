#include "experiments/statistics/summary.h"

#include <gtest/gtest.h>

#include "tests/experiments/statistics/finished_runs.h"

namespace opyard::experiments {
namespace {

TEST(SummaryTest, FailuresCountButDoNotEnterTheMean) {
  const auto summaries = Summarize({DoneRun("a", 0, 2.0), FailedRun("a", 1), DoneRun("a", 2, 4.0)});
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_EQ(summaries[0].num_runs, 3U);
  EXPECT_EQ(summaries[0].num_failed, 1U);
  EXPECT_DOUBLE_EQ(summaries[0].step_s->mean, 3e-3);      // (2 + 4) / 2 ms
  EXPECT_DOUBLE_EQ(summaries[0].mean_evaluations, 20.0);  // (10 + 20 + 30) / 3
  EXPECT_EQ(summaries[0].mean_cpu_seconds, 0.75);
}

TEST(SummaryTest, SpeedUpIsBaselineOverOwn) {
  auto summaries = Summarize({DoneRun("a", 0, 2.0), FailedRun("b", 0)});
  Compare(summaries, BaselineOf(5e-3));
  EXPECT_DOUBLE_EQ(*summaries[0].speed_up, 2.5);  // 5 ms / 2 ms
  EXPECT_EQ(summaries[1].speed_up, std::nullopt);
}

}  // namespace
}  // namespace opyard::experiments
