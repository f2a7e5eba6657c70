// Graph partitioning and a depth-first order.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// The baseline "GP + DFS" of Paliwal et al., "Reinforced genetic algorithm learning for optimizing
// computation graphs" (ICLR 2020). A partition into balanced parts with little traffic places the
// ops. The depth-first order of a compiler that saves memory (depth_first_order.h) orders them.
// Partitions are those of `metis` (metis_tries.h), one evaluation each.
[[nodiscard]] AgentEntry GpDfsEntry();

}  // namespace opyard::agents
