#include "experiments/matrix/time_left.h"

#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

TEST(TimeLeftTest, IsUnknownUntilARunOfAnAgentThatIsLeftHasEnded) {
  TimeLeft left({.num_jobs = 1, .done = {{"gone", 5.0}}, .missing = {"a", "a", "b"}});
  EXPECT_FALSE(left.Get(0.0).has_value());
  left.Finish("a", 3.0);
  ASSERT_TRUE(left.Get(0.0).has_value());
  EXPECT_EQ(left.Get(0.0)->seconds, 3.0);  // of the other run of a
  EXPECT_FALSE(left.Get(0.0)->is_whole);   // nobody knows of b
  left.Finish("b", 20.0);
  EXPECT_TRUE(left.Get(0.0)->is_whole);
  left.Finish("a", 3.0);
  EXPECT_FALSE(left.Get(0.0).has_value());  // nothing is left
}

TEST(TimeLeftTest, IsTheMeanOfEachAgentSharedAmongTheJobs) {
  // a: mean of 2 and 4 s, three times; b: 5 s, once: 14 s on two jobs.
  const TimeLeft left({.num_jobs = 2,
                       .done = {{"a", 2.0}, {"a", 4.0}, {"b", 5.0}},
                       .missing = {"a", "a", "b", "a"}});
  EXPECT_EQ(left.Get(0.0)->seconds, 7.0);
  EXPECT_EQ(left.Get(4.0)->seconds, 5.0);  // the runs under way have made 4 s of them
  EXPECT_EQ(left.Get(40.0)->seconds, 0.0);
}

TEST(TimeLeftTest, MoreJobsThanRunsDoNotHelp) {
  const TimeLeft left({.num_jobs = 8, .done = {{"a", 6.0}}, .missing = {"a", "a"}});
  EXPECT_EQ(left.Get(0.0)->seconds, 6.0);
}

TEST(TimeLeftTest, IsPrintedInTheUnitThatFits) {
  EXPECT_EQ(TextOf({.seconds = 0.2}), "about 1 s left");
  EXPECT_EQ(TextOf({.seconds = 59.0}), "about 59 s left");
  EXPECT_EQ(TextOf({.seconds = 61.0, .is_whole = false}), "at least 2 min left");
  EXPECT_EQ(TextOf({.seconds = 9000.0}), "about 2.5 h left");
}

}  // namespace
}  // namespace opyard::experiments
