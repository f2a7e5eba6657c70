// The floor of every comparison: random plans, the best of the budget.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Evaluates RandomDecisions until the budget ends: without a budget, until the search is
// interrupted. Where only one plan exists, it is evaluated once.
[[nodiscard]] AgentEntry RandomEntry();

}  // namespace opyard::agents
