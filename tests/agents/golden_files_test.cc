// Which goldens of agents there are (golden_test.cc makes and compares them).
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/missing_learned.h"
#include "agents/registry.h"
#include "tests/support/golden_text.h"

namespace opyard::agents {
namespace {

using ::testing::ElementsAreArray;

// Also those of learned agents, whether LibTorch is there or not.
TEST(AgentGoldensTest, EveryAgentHasOneAndNoneIsLeftOver) {
  std::vector<std::string> names;
  const AgentRegistry all = ClassicalAgents() + MissingLearnedAgents(kBuiltWithoutTorch);
  for (const AgentEntry& entry : all.entries()) {
    names.push_back(entry.info.name);
  }
  EXPECT_THAT(opyard::testing::GoldensIn("agents"), ElementsAreArray(names))
      << "`./dev goldens` makes those that are missing; delete those of agents that are gone";
}

}  // namespace
}  // namespace opyard::agents
