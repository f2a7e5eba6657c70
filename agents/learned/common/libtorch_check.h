// The check of LibTorch in `opyard doctor`.
#pragma once

#include "agents/base/agent_registry.h"

namespace opyard::agents {

// Returns the version that was loaded, after a product and its gradient, whose values are known,
// have been computed on the CPU; and how many CUDA devices LibTorch sees.
[[nodiscard]] AgentCheck LibTorchCheck();

}  // namespace opyard::agents
