// Graph partitioning that knows how much memory devices have.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// METIS with two constraints (Karypis and Kumar, "Multilevel algorithms for multi-constraint graph
// partitioning", SC 1998): work in balance, as `metis` has it, and the memory of each part
// (GroupBytes) within its device's, in proportion to the devices' capacities. Where there is room
// enough, memory asks for nothing; where there is not, it is shared as evenly as work. If none of
// the tries completes, they are made again for 0.85 and 0.7 of the capacities (memory_rule.h). Each
// distinct placement is evaluated as by `metis`.
[[nodiscard]] AgentEntry MetisMemoryEntry();

}  // namespace opyard::agents
