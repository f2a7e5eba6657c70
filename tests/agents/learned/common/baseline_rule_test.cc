#include "agents/learned/common/baseline_rule.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/common/update_report.h"
#include "env/reward.h"

namespace opyard::agents {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

constexpr BaselineRule kPublished{.momentum = 0.9,
                                  .start = BaselineStart::kFailure,
                                  .failure_updates = 1000,
                                  .includes_failures = true};

// Plans of 4 and of 9 times the reference, whose rewards are −2 and −3, and one that fails, −10.
std::vector<env::Evaluation> TwoAndAFailure() {
  std::vector<env::Evaluation> evaluations(3);
  evaluations[0].score = 4.0;
  evaluations[1].score = 9.0;
  evaluations[2].result.outcome = sim::Outcome::kOutOfMemory;
  return evaluations;
}

// Over −10 the advantages are 8, 7 and 0; then it is 0.9 · −10 − 0.1 · (2 + 3 + 10) / 3 = −9.5.
TEST(BaselineRuleTest, AsPublishedItStartsAtAFailureWhichMovesItAsLongAsItTrains) {
  RewardBaseline baseline(kPublished.momentum);
  UpdateReport report;
  EXPECT_THAT(Advantages(TwoAndAFailure(), 1.0, kPublished, 999, baseline, report),
              ElementsAre(DoubleEq(8.0), DoubleEq(7.0), DoubleEq(0.0)));
  EXPECT_DOUBLE_EQ(*report.baseline, -10.0);
  EXPECT_DOUBLE_EQ(*baseline.value(), -9.5);
}

// Afterwards completed plans alone count: 0.9 · −9.5 − 0.1 · (2 + 3) / 2 = −8.8.
TEST(BaselineRuleTest, AfterFailureUpdatesFailuresNeitherTrainNorMoveIt) {
  RewardBaseline baseline(kPublished.momentum);
  baseline.set_value(-9.5);
  UpdateReport report;
  EXPECT_THAT(Advantages(TwoAndAFailure(), 1.0, kPublished, 1000, baseline, report),
              ElementsAre(DoubleEq(7.5), DoubleEq(6.5), DoubleEq(0.0)));
  EXPECT_DOUBLE_EQ(*baseline.value(), -8.8);
}

// At the defaults it starts at the mean of the completed plans, −2.5, which failures never move.
TEST(BaselineRuleTest, AtTheDefaultsItStartsWithTheFirstRewards) {
  RewardBaseline baseline(0.9);
  UpdateReport report;
  EXPECT_THAT(Advantages(TwoAndAFailure(), 1.0, BaselineRule{}, 0, baseline, report),
              ElementsAre(DoubleEq(0.5), DoubleEq(-0.5), DoubleEq(-7.5)));
  EXPECT_DOUBLE_EQ(*baseline.value(), -2.5);
}

}  // namespace
}  // namespace opyard::agents
