// Shortest processing time first.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Graham's list scheduling of the default placement with the priority rule SPT (Haupt, "A survey of
// priority rule-based scheduling", OR Spektrum 1989): of the ops that are ready, the one that takes
// least time on its device runs first.
// Faithful, or where placement is no task, that is one evaluation; else the rule orders placements
// that aware list scheduling makes, and each device alone is evaluated (priority_rule.h). No random
// numbers.
[[nodiscard]] AgentEntry SptEntry();

}  // namespace opyard::agents
