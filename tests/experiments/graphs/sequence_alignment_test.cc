// Longest common subsequences.
#include "experiments/graphs/sequence_alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

std::vector<SequenceElement> ElementsOf(const std::vector<std::int32_t>& types) {
  std::vector<SequenceElement> elements;
  for (const std::int32_t type : types) {
    elements.push_back({.type = type, .weight = 1.0});
  }
  return elements;
}

std::vector<std::pair<std::size_t, std::size_t>> Align(const std::vector<std::int32_t>& a,
                                                       const std::vector<std::int32_t>& b) {
  return AlignSequences(ElementsOf(a), ElementsOf(b));
}

TEST(AlignSequencesTest, PairsWhatCorresponds) {
  EXPECT_THAT(Align({1, 2, 3}, {1, 2, 3}), ElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 2)));
  // 2 stands between 1 and 3 in both.
  EXPECT_THAT(Align({2, 1, 2, 3}, {1, 2, 5, 3}), ElementsAre(Pair(1, 0), Pair(2, 1), Pair(3, 3)));
  EXPECT_THAT(Align({1}, {2}), IsEmpty());
  EXPECT_THAT(Align({}, {2}), IsEmpty());
}

TEST(AlignSequencesTest, OneOfTwoIsTheFirst) {
  EXPECT_THAT(Align({7, 7}, {7}), ElementsAre(Pair(0, 0)));
  EXPECT_THAT(Align({7}, {7, 7}), ElementsAre(Pair(0, 0)));
}

TEST(AlignSequencesTest, AmongTheLongestTheHeaviestIsTaken) {
  const std::vector<SequenceElement> a = {{7, 1.0}, {7, 3.0}, {7, 2.0}};
  EXPECT_THAT(AlignSequences(a, ElementsOf({7, 7})), ElementsAre(Pair(1, 0), Pair(2, 1)));
  // Two pairs weigh more than one, whatever it weighs.
  const std::vector<SequenceElement> b = {{1, 0.0}, {2, 0.0}, {3, 9.0}};
  EXPECT_THAT(AlignSequences(b, ElementsOf({3, 1, 2})), ElementsAre(Pair(0, 1), Pair(1, 2)));
}

// 10,000 times 10,000 comparisons are more than the limit.
TEST(AlignSequencesTest, LongSequencesAreLeft) {
  const std::vector<std::int32_t> a(10'000, 1);
  EXPECT_THAT(Align(a, a), IsEmpty());
}

}  // namespace
}  // namespace opyard::experiments
