// Agents that are not ours, in this process: what they throw ends their search and nothing else.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::experiments {

// The same agent. What it throws while it is made, searches, is trained or says where it begins
// arrives as it is if it says that the input is wrong (InputError, UnsupportedError) or that memory
// is out (std::bad_alloc), and else as an agents::AgentFailure with its name and what it said; so
// does PlanError, for a plan that does not fit is the agent's fault.
[[nodiscard]] agents::AgentEntry Guarded(agents::AgentEntry entry);

}  // namespace opyard::experiments
