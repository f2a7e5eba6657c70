#include "experiments/runner/terminal.h"

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

// Sets the environment variables that matter, and puts them back.
class TerminalTest : public ::testing::Test {
 protected:
  TerminalTest() {
    for (const char* name : {"COLUMNS", "NO_COLOR", "TERM", "LC_ALL", "LC_CTYPE", "LANG"}) {
      const char* value = std::getenv(name);
      former_[name] = value == nullptr ? std::nullopt : std::optional<std::string>(value);
      unsetenv(name);
    }
  }
  ~TerminalTest() override {
    for (const auto& [name, value] : former_) {
      value.has_value() ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }
  }

 private:
  std::map<std::string, std::optional<std::string>> former_;
};

TEST_F(TerminalTest, AFileHasEightyColumnsAndNoColour) {
  const Terminal terminal = DescribeTerminal(false);
  EXPECT_EQ(terminal.columns, 80U);
  EXPECT_FALSE(terminal.has_color);
  EXPECT_FALSE(terminal.has_unicode);
}

TEST_F(TerminalTest, ColumnsOverridesTheWidth) {
  setenv("COLUMNS", "120", 1);
  EXPECT_EQ(DescribeTerminal(false).columns, 120U);
  setenv("COLUMNS", "3", 1);
  EXPECT_EQ(DescribeTerminal(false).columns, 20U);
  setenv("COLUMNS", "wide", 1);
  EXPECT_EQ(DescribeTerminal(false).columns, 80U);
}

TEST_F(TerminalTest, NoColorAndADumbTerminalForbidColour) {
  EXPECT_TRUE(DescribeTerminal(true).has_color);
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(DescribeTerminal(true).has_color);
  setenv("TERM", "xterm", 1);
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(DescribeTerminal(true).has_color);
}

TEST_F(TerminalTest, TheMostSpecificLocaleDecidesOnUnicode) {
  setenv("LANG", "en_US.UTF-8", 1);
  EXPECT_TRUE(DescribeTerminal(false).has_unicode);
  setenv("LC_CTYPE", "C", 1);
  EXPECT_FALSE(DescribeTerminal(false).has_unicode);
  setenv("LC_ALL", "C.utf8", 1);
  EXPECT_TRUE(DescribeTerminal(false).has_unicode);
}

}  // namespace
}  // namespace opyard::experiments
