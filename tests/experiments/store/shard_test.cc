#include "experiments/store/shard.h"

#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/store/expected_matrix.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

using ::testing::HasSubstr;

// 3 problems; agents with 5, 1 and 2 seeds: 24 cells.
ExpectedMatrix Matrix() {
  return {.pairs = {{"g", "m"}, {"h", "m"}, {"g", "n"}},
          .agents = {{.label = "b", .seeds = {0, 1, 2, 3, 4}},
                     {.label = "c", .seeds = {0}},
                     {.label = "a", .seeds = {7, 5}}}};
}

TEST(ShardTest, PiecesAreDisjointAndCompleteForEveryNumberOfThem) {
  const std::vector<CellKey> cells = CellsOf(Matrix());
  ASSERT_EQ(cells.size(), 24U);  // 3 × (5 + 1 + 2)
  for (std::int64_t count = 1; count <= 30; ++count) {
    std::multiset<CellKey> dealt;
    for (std::int64_t index = 1; index <= count; ++index) {
      const std::vector<CellKey> piece = PieceOf(cells, {.index = index, .count = count});
      dealt.insert(piece.begin(), piece.end());
    }
    EXPECT_EQ(dealt, std::multiset<CellKey>(cells.begin(), cells.end())) << count;
  }
}

TEST(ShardTest, PiecesDifferByOneCellAtMostAsAWholeAndInEachAgent) {
  const std::vector<CellKey> cells = CellsOf(Matrix());
  for (std::int64_t count = 2; count <= 30; ++count) {
    std::map<std::string, std::vector<std::size_t>> sizes;  // by agent; "" for all
    for (std::int64_t index = 1; index <= count; ++index) {
      const std::vector<CellKey> piece = PieceOf(cells, {.index = index, .count = count});
      sizes[""].push_back(piece.size());
      for (const char* agent : {"a", "b", "c"}) {
        sizes[agent].push_back(
            static_cast<std::size_t>(std::ranges::count(piece, agent, &CellKey::agent)));
      }
    }
    for (const auto& [agent, of_agent] : sizes) {
      const auto [least, most] = std::ranges::minmax(of_agent);
      EXPECT_LE(most - least, 1U) << count << " pieces, agent " << agent;
    }
  }
}

TEST(ShardTest, AnAgentsCellsAreDealtFromWhereThoseOfTheAgentBeforeItEnded) {
  // a has the cells 0 … 5 of the dealing, b 6 … 20, c 21 … 23; piece 2 of 4 has 1, 5, 9, 13,
  // 17, 21.
  const std::vector<CellKey> piece = PieceOf(CellsOf(Matrix()), {.index = 2, .count = 4});
  std::map<std::string, std::size_t> counts;
  for (const CellKey& cell : piece) {
    ++counts[cell.agent];
  }
  EXPECT_EQ(counts, (std::map<std::string, std::size_t>{{"a", 2}, {"b", 3}, {"c", 1}}));
}

TEST(ShardTest, ReadsWhatItWrites) {
  EXPECT_EQ(ReadShard("2/4", "--shard"), (Shard{.index = 2, .count = 4}));
  EXPECT_EQ(TextOf(Shard{.index = 2, .count = 4}), "2/4");
  EXPECT_EQ(TextOf(Shard{}), "");
}

TEST(ShardTest, RefusesWhatIsNoPiece) {
  for (const char* text :
       {"", "2", "0/4", "5/4", "1/0", "1/10001", "a/4", "1/4x", "-1/4", "1/ 4"}) {
    try {
      static_cast<void>(ReadShard(text, "--shard"));
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("--shard: found \""));
    }
  }
}

}  // namespace
}  // namespace opyard::experiments
