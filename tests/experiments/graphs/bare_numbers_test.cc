// Numbers that are not finite, in JSON that should have none.
#include "experiments/graphs/bare_numbers.h"

#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

std::string Quote(std::string text) {
  QuoteNonFiniteNumbers(text);
  return text;
}

TEST(QuoteNonFiniteNumbersTest, TurnsThemIntoStringsOfTheSameLength) {
  EXPECT_EQ(Quote(R"({"a": inf, "b":-inf})"), R"({"a": "n", "b":"in"})");
  EXPECT_EQ(Quote("[nan,NaN, Infinity,-Infinity]"), R"(["a","a", "nfinit","Infinit"])");
  EXPECT_EQ(Quote("inf"), R"("n")");
}

TEST(QuoteNonFiniteNumbersTest, LeavesStringsAndOtherWords) {
  for (const std::string text : {R"({"inf": "nan", "a\"inf": 1})",
                                 R"(["\\", 1.5e3, -2, true, null])",
                                 "[info, nand, xinf, inf_]"}) {
    EXPECT_EQ(Quote(text), text);
  }
  EXPECT_EQ(Quote(R"(["\\",inf])"), R"(["\\","n"])");
}

}  // namespace
}  // namespace opyard::experiments
