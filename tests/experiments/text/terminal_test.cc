#include "experiments/text/terminal.h"

#include <optional>

#include <gtest/gtest.h>

#include "tests/support/scoped_variable.h"

namespace opyard::experiments {
namespace {

using opyard::testing::ScopedVariable;

// Without any of the variables that matter.
class TerminalTest : public ::testing::Test {
 private:
  ScopedVariable columns_{"COLUMNS", std::nullopt};
  ScopedVariable no_color_{"NO_COLOR", std::nullopt};
  ScopedVariable term_{"TERM", std::nullopt};
  ScopedVariable all_{"LC_ALL", std::nullopt};
  ScopedVariable ctype_{"LC_CTYPE", std::nullopt};
  ScopedVariable lang_{"LANG", std::nullopt};
};

TEST_F(TerminalTest, AFileHasEightyColumnsAndNoColour) {
  const Terminal terminal = DescribeTerminal(false);
  EXPECT_EQ(terminal.columns, 80U);
  EXPECT_FALSE(terminal.has_color);
  EXPECT_FALSE(terminal.has_unicode);
}

TEST_F(TerminalTest, ColumnsOverridesTheWidthWithinReason) {
  EXPECT_EQ((ScopedVariable("COLUMNS", "120"), DescribeTerminal(false).columns), 120U);
  EXPECT_EQ((ScopedVariable("COLUMNS", "3"), DescribeTerminal(false).columns), 20U);
  EXPECT_EQ((ScopedVariable("COLUMNS", "wide"), DescribeTerminal(false).columns), 80U);
}

TEST_F(TerminalTest, NoColorAndADumbTerminalForbidColour) {
  EXPECT_TRUE(DescribeTerminal(true).has_color);
  EXPECT_FALSE((ScopedVariable("TERM", "dumb"), DescribeTerminal(true).has_color));
  EXPECT_FALSE((ScopedVariable("NO_COLOR", "1"), DescribeTerminal(true).has_color));
  EXPECT_TRUE((ScopedVariable("NO_COLOR", ""), DescribeTerminal(true).has_color));
}

TEST_F(TerminalTest, TheMostSpecificLocaleDecidesOnUnicode) {
  const ScopedVariable lang("LANG", "en_US.UTF-8");
  EXPECT_TRUE(DescribeTerminal(false).has_unicode);
  const ScopedVariable ctype("LC_CTYPE", "C");
  EXPECT_FALSE(DescribeTerminal(false).has_unicode);
  const ScopedVariable all("LC_ALL", "C.utf8");
  EXPECT_TRUE(DescribeTerminal(false).has_unicode);
}

}  // namespace
}  // namespace opyard::experiments
