#include "agents/portfolio/auto/account.h"

#include <gtest/gtest.h>

namespace opyard::agents {
namespace {

TEST(AccountTest, HasAllThatHappened) {
  EXPECT_EQ(TextOf({.num_rules = 12,
                    .best_rule = "metis",
                    // 3 of 8 and 5 of 8: 37.5 and 62.5 percent, halves rounded up.
                    .searches = {{"brkga", 3}, {"local_search", 5}, {"list_search", 0}},
                    .origin = "brkga"}),
            "12 rules, metis the best of them; then local_search 63 %, brkga 38 %; the plan is "
            "from brkga");
}

TEST(AccountTest, LeavesOutWhatDidNotHappen) {
  EXPECT_EQ(TextOf({.num_rules = 2, .best_rule = "heft", .origin = "heft"}),
            "2 rules, heft the best of them; the plan is from heft");
  EXPECT_EQ(TextOf({.num_rules = 1, .best_rule = "heft", .origin = "heft"}),
            "1 rule, heft; the plan is from heft");
  EXPECT_EQ(TextOf({.num_rules = 2}), "2 rules");
  EXPECT_EQ(TextOf({.searches = {{"brkga", 2}}, .origin = "brkga"}),
            "brkga 100 %; the plan is from brkga");
  EXPECT_EQ(TextOf({.searches = {{"brkga", 0}}}), "");
}

}  // namespace
}  // namespace opyard::agents
