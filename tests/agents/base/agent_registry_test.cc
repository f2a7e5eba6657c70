#include "agents/base/agent_registry.h"

#include <gtest/gtest.h>

#include "agents/classical/metis/metis_agent.h"
#include "agents/classical/random/random.h"
#include "sim/base/check.h"

namespace opyard::agents {
namespace {

TEST(AgentRegistryTest, AnAgentThatDecidesNoOpenTaskHasAProblem) {
  const AgentInfo metis = MetisEntry().info;
  EXPECT_EQ(FindTaskProblem(metis, {.placement = false, .fusion = true}),
            "agent metis decides placement, scheduling; the open tasks are fusion");
  EXPECT_EQ(FindTaskProblem(metis, {.placement = true, .fusion = true}), std::nullopt);
}

TEST(AgentRegistryTest, ChecksAddUpAsAgentsDo) {
  const AgentCheck check{.name = "LibTorch", .look = [] { return std::string("there"); }};
  const AgentRegistry both = AgentRegistry({MetisEntry()}) + AgentRegistry({}, {check});
  ASSERT_EQ(both.checks().size(), 1U);
  EXPECT_EQ(both.checks().front().look(), "there");
}

TEST(AgentRegistryTest, TwoAgentsOfOneNameAreOurMistake) {
  EXPECT_THROW(AgentRegistry({RandomEntry(), RandomEntry()}), InternalError);
}

}  // namespace
}  // namespace opyard::agents
