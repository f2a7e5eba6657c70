#include "agents/learned/learned_agents.h"
#include "tests/agents/problems.h"

namespace opyard::agents::testing {

AgentRegistry AgentsUnderTest() {
  return LearnedAgents();
}

}  // namespace opyard::agents::testing
