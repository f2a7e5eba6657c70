// Scotch's mapping as a placement.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// The column "Scotch" of published tables: maps the group graph (group_graph.h: load of a vertex is
// its time, of an edge its bytes) onto the main devices, which share the work by speed. Once,
// without random numbers of the search; ignores the direction of edges and memory. Plans are made
// as by `metis`: AddPlansOfPlacement (partition_plans.h).
[[nodiscard]] AgentEntry ScotchEntry();

}  // namespace opyard::agents
