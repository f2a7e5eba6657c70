// The agents of libopyard_learned. This header needs no LibTorch.
#pragma once

#include "agents/base/agent_registry.h"

namespace opyard::agents {

// Handed to the runner as ClassicalAgents() + LearnedAgents().
[[nodiscard]] AgentRegistry LearnedAgents();

// The version of LibTorch that this library was built with, "2.13.0". LibTorch has no stable ABI.
[[nodiscard]] const char* LibTorchVersion();

}  // namespace opyard::agents
