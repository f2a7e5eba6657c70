// Which ops take no time at all.
#pragma once

#include "sim/graph/op_graph.h"

namespace opyard::sim {

// True for ops that only name data: no FLOPs, no shape block, and either a type such as
// Placeholder, Variable, Constant or GetItem, or at least one output and all outputs aliases
// (views, reshapes that keep the storage). They cost 0, without a launch.
[[nodiscard]] bool IsZeroCost(const OpGraph& graph, OpId op);

}  // namespace opyard::sim
