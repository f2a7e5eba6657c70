#include "experiments/store/expected_matrix.h"

#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

ExpectedMatrix Small() {
  return {.pairs = {{"g", "m"}}, .agents = {{.label = "a", .seeds = {3, 1}}}};
}

TEST(ExpectedMatrixTest, HasPairsOutermostThenAgentsThenSeeds) {
  ExpectedMatrix matrix = Small();
  matrix.pairs.emplace_back("h", "m");
  matrix.agents.push_back({.label = "b", .seeds = {2}});
  const std::vector<CellKey> cells = CellsOf(matrix);
  ASSERT_EQ(cells.size(), 6U);  // 2 × (2 + 1)
  EXPECT_EQ(cells[0], (CellKey{"g", "m", "a", 3}));
  EXPECT_EQ(cells[2], (CellKey{"g", "m", "b", 2}));
  EXPECT_EQ(cells[5], (CellKey{"h", "m", "b", 2}));
}

TEST(ExpectedMatrixTest, ReadsWhatItWritesAndNothingElse) {
  EXPECT_EQ(ReadMatrix(TextOf(Small())), Small());
  for (const char* text : {"",
                           "{}",
                           "[]",
                           R"({"pairs": [["g"]], "agents": []})",
                           R"({"pairs": [], "agents": [{"label": 3, "seeds": []}]})"}) {
    EXPECT_EQ(ReadMatrix(text), std::nullopt) << text;
  }
}

TEST(ExpectedMatrixTest, JoinedHasWhatEitherHasOnce) {
  const ExpectedMatrix other = {
      .pairs = {{"h", "m"}, {"g", "m"}},
      .agents = {{.label = "a", .seeds = {1, 9}}, {.label = "b", .seeds = {0}}}};
  const ExpectedMatrix joined = Joined(Small(), other);
  EXPECT_EQ(joined,
            (ExpectedMatrix{
                .pairs = {{"g", "m"}, {"h", "m"}},
                .agents = {{.label = "a", .seeds = {3, 1, 9}}, {.label = "b", .seeds = {0}}}}));
  EXPECT_EQ(Joined(joined, other), joined);
}

}  // namespace
}  // namespace opyard::experiments
