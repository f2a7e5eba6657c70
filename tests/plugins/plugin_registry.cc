#include "experiments/external/plugin_agents.h"
#include "tests/agents/problems.h"

namespace opyard::agents::testing {

AgentRegistry AgentsUnderTest() {
  return experiments::WithPlugins(AgentRegistry({}), {OPYARD_EXAMPLE_PLUGIN});
}

}  // namespace opyard::agents::testing
