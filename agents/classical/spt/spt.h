// Shortest processing time first.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Graham's list scheduling of the default placement with the priority rule SPT (Haupt, "A survey of
// priority rule-based scheduling", OR Spektrum 1989): of the ops that are ready, the one that takes
// least time on its device runs first.
// One evaluation, no random numbers.
[[nodiscard]] AgentEntry SptEntry();
// The aware version, `spt_aware` (planning/list_scheduling/aware_search.h).
[[nodiscard]] AgentEntry SptAwareEntry();

}  // namespace opyard::agents
