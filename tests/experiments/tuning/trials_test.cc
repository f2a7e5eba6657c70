#include "experiments/tuning/trials.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;

agents::AgentInfo Agent() {
  return {.name = "some",
          .options = {{.name = "population", .default_value = std::int64_t{100}},
                      {.name = "share", .default_value = 0.5}}};
}

const TuningConfig kTuning{
    .space = {{.name = "population", .low = 10, .high = 1000, .is_log = true},
              {.name = "share", .low = 0.25, .high = 0.75}},
    .trials = 400,
    .shrink = 3,
    .first_problems = 6};

TEST(TrialsTest, TheFirstIsWhatIsGiven) {
  const Options given({{"population", std::int64_t{7}}, {"start", std::string("random")}});
  const std::vector<Options> trials = SampleTrials(kTuning, Agent(), given, 1);
  ASSERT_EQ(trials.size(), 400U);
  EXPECT_EQ(trials[0].values(), given.values());
  EXPECT_EQ(trials[1].values().at("start"), OptionValue(std::string("random")));
}

TEST(TrialsTest, SamplesLieInTheirRangesAndHalfOfThemBelowTheMiddle) {
  const std::vector<Options> trials = SampleTrials(kTuning, Agent(), {}, 1);
  int below_hundred = 0;  // the middle of 10 and 1000 by their logarithms
  int below_half = 0;
  for (std::size_t i = 1; i < trials.size(); ++i) {
    const auto population = std::get<std::int64_t>(trials[i].values().at("population"));
    const double share = std::get<double>(trials[i].values().at("share"));
    EXPECT_TRUE(population >= 10 && population <= 1000) << population;
    EXPECT_TRUE(share >= 0.25 && share <= 0.75) << share;
    below_hundred += population < 100 ? 1 : 0;
    below_half += share < 0.5 ? 1 : 0;
  }
  // Mean 199.5 of 399, standard deviation 10; five of them, and a sample that rounds up to 100.
  EXPECT_NEAR(below_hundred, 199.5, 52);
  EXPECT_NEAR(below_half, 199.5, 51);
}

TEST(TrialsTest, ATrialDoesNotDependOnHowManyThereAre) {
  TuningConfig few = kTuning;
  few.trials = 5;
  const std::vector<Options> all = SampleTrials(kTuning, Agent(), {}, 3);
  const std::vector<Options> first = SampleTrials(few, Agent(), {}, 3);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(first[i].values(), all[i].values());
  }
}

std::vector<std::pair<std::size_t, std::size_t>> Rounds(std::int64_t trials,
                                                        std::size_t num_problems) {
  std::vector<std::pair<std::size_t, std::size_t>> rounds;
  for (const TuningRound& round :
       RoundsOf({.trials = trials, .shrink = 3, .first_problems = 6}, num_problems)) {
    rounds.emplace_back(round.num_trials, round.num_problems);
  }
  return rounds;
}

TEST(RoundsTest, AThirdGoesOnToThreeTimesTheProblems) {
  EXPECT_THAT(Rounds(27, 100),
              ElementsAre(std::pair(27U, 6U), std::pair(9U, 18U), std::pair(3U, 54U)));
  // 4 / 3 rounded up is 2, 2 / 3 is 1; there are no more than 10 problems.
  EXPECT_THAT(Rounds(4, 10), ElementsAre(std::pair(4U, 6U), std::pair(2U, 10U)));
}

TEST(ImprovementTest, IsTheMeanOfSharesOfTheFirstTrialsScores) {
  // 1 − 6/8 = 1/4; 1 − 3/2 = −1/2; both fail: 0; it alone fails: −1; the first alone fails: 1;
  // 1 − 9/2 is cut to −1. Sum −5/4 over 6 problems.
  const TrialScores scores = {{{0, 0}, 8.0},
                              {{1, 0}, 6.0},
                              {{0, 1}, 2.0},
                              {{1, 1}, 3.0},
                              {{0, 2}, std::nullopt},
                              {{1, 2}, std::nullopt},
                              {{0, 3}, 5.0},
                              {{1, 3}, std::nullopt},
                              {{0, 4}, std::nullopt},
                              {{1, 4}, 5.0},
                              {{0, 5}, 2.0},
                              {{1, 5}, 9.0}};
  EXPECT_DOUBLE_EQ(MeanImprovement(scores, 1, 1), 0.25);
  EXPECT_DOUBLE_EQ(MeanImprovement(scores, 1, 2), -0.125);
  EXPECT_DOUBLE_EQ(MeanImprovement(scores, 1, 6), -1.25 / 6);
  EXPECT_EQ(MeanImprovement(scores, 0, 6), 0.0);
}

TEST(ImprovementTest, TrialsAreRankedByItAndThenByTheirNumber) {
  const TrialScores scores = {{{0, 0}, 8.0}, {{1, 0}, 9.0}, {{2, 0}, 6.0}, {{3, 0}, 8.0}};
  EXPECT_THAT(Ranked(scores, {3, 1, 2, 0}, 1), ElementsAre(2, 0, 3, 1));
}

}  // namespace
}  // namespace opyard::experiments
