#include "agents/base/search_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/registry.h"
#include "sim/base/error.h"
#include "tests/agents/problems.h"

namespace opyard::agents {
namespace {

using ::testing::HasSubstr;

std::string StartWith(const std::string& agent, Options params = {}) {
  const AgentRegistry registry = testing::AgentsUnderTest();
  return StartOf(registry.Get(agent), params);
}

Options Given(const std::string& name, OptionValue value) {
  return Options({{name, std::move(value)}});
}

TEST(SearchStartTest, EverySearchSaysWhereItBeginsAndNoRuleDoes) {
  const AgentRegistry registry = testing::AgentsUnderTest();
  for (const AgentEntry& entry : registry.entries()) {
    SCOPED_TRACE(entry.info.name);
    EXPECT_EQ(entry.info.start.empty(), entry.info.kind == AgentKind::kClassical);
    EXPECT_EQ(StartOf(entry, {}), entry.info.start);
    EXPECT_EQ(DescribeStart(entry.info.start) == entry.info.start, entry.info.start.empty());
  }
}

TEST(SearchStartTest, IsTheValueOfTheOption) {
  EXPECT_EQ(StartWith("brkga"), "rules");
  EXPECT_EQ(StartWith("brkga_5k"), "random");
  EXPECT_EQ(StartWith("brkga", Given("start", "random")), "random");
  EXPECT_EQ(StartWith("auto", Given("start", "single_device")), "single_device");
}

TEST(SearchStartTest, OtherOptionsMayDecide) {
  EXPECT_EQ(StartWith("local_search"), "rules");
  EXPECT_EQ(StartWith("local_search", Given("faithful", true)), "random");
  EXPECT_EQ(StartWith("brkga_tuned"), "random");
}

// One list of words for all: an agent leaves out what it cannot begin at, and says so.
TEST(SearchStartTest, WhatAnAgentCannotBeginAtIsRefusedWithWhatItCan) {
  const AgentRegistry registry = testing::AgentsUnderTest();
  try {
    static_cast<void>(registry.Make("list_search", Given("start", "single_device")));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("option start: found single_device, expected "));
    EXPECT_THAT(error.what(), HasSubstr("rules"));
    EXPECT_THAT(error.what(), HasSubstr("random"));
  }
}

}  // namespace
}  // namespace opyard::agents
