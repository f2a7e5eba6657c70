// The argument --checkpoint: weights that an agent's search begins with.
#pragma once

#include <string>

#include "agents/registry.h"

namespace opyard::experiments {

// Whether the agent of this name has the parameter `checkpoint`.
[[nodiscard]] bool TakesCheckpoint(const std::string& agent, const agents::AgentRegistry& registry);

// Throws InputError if `file` is given for an agent without weights: it would say that it has no
// such parameter, which the user did not name.
void CheckCheckpoint(const std::string& file,
                     const std::string& agent,
                     const agents::AgentRegistry& registry);

}  // namespace opyard::experiments
