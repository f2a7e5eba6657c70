// Graph partitioning as a placement.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// PlacementsByMetis (metis_tries.h). Ignores the direction of edges and, like the published
// baseline, memory. The first try alone, {tries: 1}, is the single shot of published tables; by
// default the best of 16 counts, which no table calls METIS. Where scheduling is a task, each
// distinct placement is evaluated with the default queue and with upward ranks (ranks.h) as
// priorities; where placement is none, with the default placement.
[[nodiscard]] AgentEntry MetisEntry();

}  // namespace opyard::agents
