#include "tests/agents/problems.h"

namespace opyard::agents::testing {

AgentRegistry AgentsUnderTest() {
  return ClassicalAgents();
}

}  // namespace opyard::agents::testing
