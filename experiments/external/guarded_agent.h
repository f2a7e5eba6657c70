// Agents that are not ours, in this process: what they throw ends their search and nothing else.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::experiments {

// The same agent with guarded construction, searches, training and statement of its start.
// InputError and UnsupportedError (the input is wrong), std::bad_alloc (memory is out) and
// agents::AgentFailure arrive as they are. All other exceptions arrive as an agents::AgentFailure
// with the agent's name and what they said. So does PlanError, for a plan that does not fit is the
// agent's fault.
[[nodiscard]] agents::AgentEntry Guarded(agents::AgentEntry entry);

}  // namespace opyard::experiments
