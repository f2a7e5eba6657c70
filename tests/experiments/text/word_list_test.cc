#include "experiments/text/word_list.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(WordListTest, AWordHasNoBlankAndGivesItsTextBack) {
  EXPECT_EQ(ToWord("two words"), "two%20words");
  EXPECT_EQ(ToWord("module:Class"), "module:Class");
  EXPECT_EQ(ToWord("50%\n"), "50%25%0A");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    all += static_cast<char>(byte);
  }
  EXPECT_EQ(FromWord(ToWord(all)), all);
  EXPECT_THAT(SplitWords(ToWord(all)), ElementsAre(ToWord(all)));
}

TEST(WordListTest, AnUnfinishedEscapeIsNoWord) {
  for (const char* word : {"%", "a%2", "%zz", "%-1", "%2"}) {
    EXPECT_EQ(FromWord(word), std::nullopt) << word;
  }
}

TEST(WordListTest, WordsStandBetweenBlanks) {
  EXPECT_THAT(SplitWords("a b  c"), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(SplitWords(""), IsEmpty());
}

}  // namespace
}  // namespace opyard::experiments
