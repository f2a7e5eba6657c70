#include "agents/learned/common/step_baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opyard::agents {
namespace {

using ::testing::ElementsAre;

TEST(StepBaselineTest, ReturnsAreWhatIsGainedFromAStepOn) {
  const std::vector<double> rewards = {2.0, -3.0, 5.0};
  EXPECT_THAT(DiscountedReturns(rewards, 1.0), ElementsAre(4.0, 2.0, 5.0));
  // −3 + 5/2 = −1/2, and 2 − 1/4
  EXPECT_THAT(DiscountedReturns(rewards, 0.5), ElementsAre(1.75, -0.5, 5.0));
  EXPECT_THAT(DiscountedReturns(rewards, 0.0), ElementsAre(2.0, -3.0, 5.0));
  EXPECT_TRUE(DiscountedReturns({}, 1.0).empty());
}

TEST(StepBaselineTest, EachStepIsComparedWithTheSameStepOfTheLastEpisodes) {
  StepBaseline baseline(2);
  EXPECT_THAT(baseline.Advantages(std::vector<double>{3.0, 5.0}), ElementsAre(0.0, 0.0));
  baseline.Add({100.0, 100.0});  // forgotten below
  baseline.Add({2.0, 10.0});
  baseline.Add({4.0, 20.0});
  EXPECT_THAT(baseline.Advantages(std::vector<double>{7.0, 11.0}), ElementsAre(4.0, -4.0));
}

TEST(StepBaselineTest, AStepThatNoEpisodeHadHasNoAdvantage) {
  StepBaseline baseline(3);
  baseline.Add({1.0});
  baseline.Add({2.0, 6.0});
  // 3 − 3/2, 5 − 6
  EXPECT_THAT(baseline.Advantages(std::vector<double>{3.0, 5.0, 7.0}), ElementsAre(1.5, -1.0, 0.0));
}

}  // namespace
}  // namespace opyard::agents
