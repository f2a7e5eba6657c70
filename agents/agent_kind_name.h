// What listings of agents call their kinds.
#pragma once

#include "agents/registry.h"

namespace opyard::agents {

// "classical", "search" or "learned".
[[nodiscard]] const char* NameOf(AgentKind kind);

}  // namespace opyard::agents
