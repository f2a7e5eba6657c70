#include "agents/registry.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/problem_words.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

std::string MessageOf(const std::string& agent, Options options) {
  try {
    static_cast<void>(ClassicalAgents().Make(agent, std::move(options)));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RegistryTest, ListsClassicalAndSearchAgentsByName) {
  std::vector<std::string> names;
  const AgentRegistry registry = ClassicalAgents();
  for (const AgentEntry& entry : registry.entries()) {
    names.push_back(entry.info.name);
    EXPECT_NE(entry.info.kind, AgentKind::kLearned) << entry.info.name;
    Diagnostics diagnostics;
    EXPECT_TRUE(env::ReadTasks(entry.info.tasks, "tasks", diagnostics)) << diagnostics.Text();
  }
  EXPECT_THAT(names, IsSupersetOf({"brkga", "heft", "metis", "single_device"}));
  EXPECT_EQ(registry.Get("brkga").info.kind, AgentKind::kSearch);
  EXPECT_EQ(registry.Get("simulated_annealing").info.kind, AgentKind::kSearch);
  EXPECT_EQ(registry.Get("heft").info.kind, AgentKind::kClassical);
}

TEST(RegistryTest, AnUnknownAgentIsRefusedWithTheNamesThatExist) {
  const std::string message = MessageOf("hetf", {});
  EXPECT_THAT(message, HasSubstr("did you mean \"heft\"?"));
  EXPECT_THAT(message, HasSubstr("agents: auto, brkga, "));
  EXPECT_THAT(message, HasSubstr(" in all)"));  // the first twenty stand there
}

TEST(RegistryTest, AnUnknownOptionIsRefused) {
  Options options;
  options.Set("coolign", 0.9);
  EXPECT_THAT(MessageOf("simulated_annealing", options), HasSubstr("did you mean \"cooling\"?"));
  EXPECT_THAT(MessageOf("single_device", options), HasSubstr("it takes none"));
}

TEST(RegistryTest, AnOptionOutOfRangeIsRefused) {
  Options cooling;
  cooling.Set("cooling", 1.5);
  EXPECT_THAT(MessageOf("simulated_annealing", cooling), HasSubstr("cooling"));
  Options population;
  population.Set("population", std::int64_t{1});
  EXPECT_THAT(MessageOf("brkga", population), HasSubstr("population"));
  Options rule;
  rule.Set("group_rule", std::string("last_op"));
  EXPECT_THAT(MessageOf("heft", rule), HasSubstr("first_op"));
}

}  // namespace
}  // namespace opyard::agents
