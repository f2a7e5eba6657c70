// Groups dealt out to the devices in turn.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Group i, in topological order, goes to main device (first + i) modulo their number; one that may
// not be there stays where the default placement has it. One evaluation, no random numbers.
[[nodiscard]] AgentEntry RoundRobinEntry();

}  // namespace opyard::agents
