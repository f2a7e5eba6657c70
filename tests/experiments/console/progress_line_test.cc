#include "experiments/console/progress_line.h"

#include <sstream>

#include <gtest/gtest.h>

#include "agents/registry.h"

namespace opyard::experiments {
namespace {

std::string Shown(bool is_terminal, bool is_quiet) {
  std::ostringstream out;
  std::ostringstream err;
  const InterruptFlag interrupt;
  const agents::AgentRegistry agents({});
  const Console console{.out = out,
                        .err = err,
                        .err_is_terminal = is_terminal,
                        .interrupt = interrupt,
                        .agents = agents};
  {
    ProgressLine line(console, is_quiet);
    EXPECT_TRUE(line.IsDue());  // nothing was shown yet
    line.Show("1 of 2");
    EXPECT_EQ(line.IsDue(), is_quiet);
    line.Show("2 of 2");
  }
  EXPECT_EQ(out.str(), "");
  return err.str();
}

TEST(ProgressLineTest, OnATerminalTheLineIsRewrittenAndEnds) {
  EXPECT_EQ(Shown(true, false), "\r\033[K1 of 2\r\033[K2 of 2\n");
}

TEST(ProgressLineTest, ElsewhereEachTextIsALine) {
  EXPECT_EQ(Shown(false, false), "1 of 2\n2 of 2\n");
}

TEST(ProgressLineTest, AQuietOneSaysNothing) {
  EXPECT_EQ(Shown(true, true), "");
}

}  // namespace
}  // namespace opyard::experiments
