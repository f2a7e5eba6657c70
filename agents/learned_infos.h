// What the learned agents are, known with and without LibTorch.
#pragma once

#include "agents/agent.h"

namespace opyard::agents {

[[nodiscard]] AgentInfo ReinforceLstmInfo();

}  // namespace opyard::agents
