#include "agents/learned/learned_agents.h"

#include <gtest/gtest.h>

#include "agents/missing_learned.h"

namespace opyard::agents {
namespace {

std::vector<std::string> OptionNames(const AgentInfo& info) {
  std::vector<std::string> names;
  for (const OptionInfo& option : info.options) {
    names.push_back(option.name);
  }
  return names;
}

TEST(LearnedAgentsTest, WithoutLibTorchTheSameAgentsTakeTheSameOptions) {
  const AgentRegistry here = LearnedAgents();
  const AgentRegistry missing = MissingLearnedAgents("");
  ASSERT_EQ(here.entries().size(), missing.entries().size());
  for (std::size_t i = 0; i < here.entries().size(); ++i) {
    EXPECT_EQ(here.entries()[i].info.name, missing.entries()[i].info.name);
    EXPECT_EQ(OptionNames(here.entries()[i].info), OptionNames(missing.entries()[i].info));
  }
}

}  // namespace
}  // namespace opyard::agents
