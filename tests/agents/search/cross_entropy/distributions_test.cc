#include "agents/search/cross_entropy/distributions.h"

#include <gtest/gtest.h>

namespace opyard::agents {
namespace {

// Row 0 may take all of three choices, row 1 the last two.
ChoiceRows TwoRows() {
  return {3, {1, 1, 1, 0, 1, 1}};
}

TEST(ChoiceRowsTest, AreUniformOverWhatIsAllowedAtFirst) {
  const ChoiceRows rows = TwoRows();
  EXPECT_DOUBLE_EQ(rows.probability(0, 0), 1.0 / 3.0);
  EXPECT_EQ(rows.probability(1, 0), 0.0);
  EXPECT_DOUBLE_EQ(rows.probability(1, 2), 0.5);
}

TEST(ChoiceRowsTest, MoveTowardsWhatWasChosen) {
  ChoiceRows rows = TwoRows();
  const std::vector<std::vector<std::size_t>> chosen = {{0, 1}, {0, 2}, {2, 2}, {0, 2}};
  rows.MoveTowards(chosen, 0.5);
  // Row 0: half of 1/3 and half of 3/4, 0, 1/4. Row 1: half of 1/2 and half of 1/4, 3/4.
  EXPECT_DOUBLE_EQ(rows.probability(0, 0), 1.0 / 6.0 + 3.0 / 8.0);
  EXPECT_DOUBLE_EQ(rows.probability(0, 1), 1.0 / 6.0);
  EXPECT_DOUBLE_EQ(rows.probability(0, 2), 1.0 / 6.0 + 1.0 / 8.0);
  EXPECT_DOUBLE_EQ(rows.probability(1, 1), 0.25 + 0.125);
  EXPECT_DOUBLE_EQ(rows.probability(1, 2), 0.25 + 0.375);
  rows.MixWithUniform(0.5);
  EXPECT_EQ(rows.probability(1, 0), 0.0);
  EXPECT_DOUBLE_EQ(rows.probability(1, 1), 0.375 / 2.0 + 0.25);
}

TEST(ChoiceRowsTest, SamplesFollowTheProbabilities) {
  ChoiceRows rows = TwoRows();
  const std::vector<std::vector<std::size_t>> chosen = {{1, 1}};
  rows.MoveTowards(chosen, 0.7);  // row 0: 0.1, 0.8, 0.1
  Rng rng(11);
  std::vector<int> counts(3, 0);
  for (int i = 0; i < 10'000; ++i) {
    ++counts[rows.Sample(0, rng)];
    EXPECT_NE(rows.Sample(1, rng), 0U);
  }
  // Standard deviations 30 and 40; five of them.
  EXPECT_NEAR(counts[0], 1000, 150);
  EXPECT_NEAR(counts[1], 8000, 200);
  EXPECT_NEAR(counts[2], 1000, 150);
}

}  // namespace
}  // namespace opyard::agents
