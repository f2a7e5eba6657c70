#include "agents/missing_learned.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace opyard::agents {
namespace {

using ::testing::HasSubstr;

TEST(MissingLearnedTest, AMissingAgentStillSaysWhatItTakes) {
  const AgentInfo info = MissingLearnedAgents("it is too old").Get("reinforce_lstm").info;
  EXPECT_THAT(info.summary, HasSubstr("Not available here: it is too old"));
  const auto hidden = std::ranges::find(info.options, "hidden", &OptionInfo::name);
  ASSERT_NE(hidden, info.options.end());
  EXPECT_EQ(hidden->default_value, OptionValue(std::int64_t{64}));
  EXPECT_EQ(hidden->paper, "512");
}

TEST(MissingLearnedTest, MakingOneSaysWhyItIsMissing) {
  try {
    static_cast<void>(MissingLearnedAgents("it is too old").Make("reinforce_lstm", {}));
    FAIL() << "it was made";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "agent reinforce_lstm needs LibTorch: it is too old");
  }
}

}  // namespace
}  // namespace opyard::agents
