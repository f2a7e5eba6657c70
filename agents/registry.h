// The agents that exist.
#pragma once

#include "agents/base/agent_registry.h"

namespace opyard::agents {

// The classical and search agents of this library. The learned ones are LearnedAgents()
// (learned/learned_agents.h) or, without LibTorch, MissingLearnedAgents() (missing_learned.h).
[[nodiscard]] AgentRegistry ClassicalAgents();

}  // namespace opyard::agents
