#include "experiments/statistics/starts.h"

#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

RunRecord RunOf(const std::string& agent, const std::string& start) {
  RunRecord record;
  record.cell.agent = agent;
  record.start = start;
  return record;
}

TEST(StartsTest, AgentsThatBeginDifferentlyAreNamed) {
  const std::vector<StartGroup> groups = StartGroupsOf({RunOf("metis", ""),
                                                        RunOf("brkga", "rules"),
                                                        RunOf("regal", "random"),
                                                        RunOf("brkga", "rules"),
                                                        RunOf("auto", "rules")});
  EXPECT_EQ(UnequalStartsText(groups),
            "searches begin differently: brkga, auto at plans of heuristics (start: rules); regal "
            "at random plans (start: random). What they reach also depends on that; the parameter "
            "`start` sets it");
}

TEST(StartsTest, NothingIsSaidWhereAllBeginAlikeOrNobodySays) {
  EXPECT_EQ(UnequalStartsText(StartGroupsOf({RunOf("metis", ""), RunOf("brkga", "rules")})), "");
  EXPECT_EQ(UnequalStartsText(StartGroupsOf({RunOf("metis", ""), RunOf("own", "")})), "");
  EXPECT_EQ(UnequalStartsText({}), "");
}

TEST(StartsTest, AWordOfAnAgentInPythonStandsAsItIs) {
  EXPECT_EQ(UnequalStartsText(StartGroupsOf({RunOf("a", "random"), RunOf("b", "my own tables")})),
            "searches begin differently: a at random plans (start: random); b at my own tables "
            "(start: my own tables). What they reach also depends on that; the parameter `start` "
            "sets it");
}

}  // namespace
}  // namespace opyard::experiments
