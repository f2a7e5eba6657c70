// The order of ops in which a compiler that saves memory visits a graph.
#pragma once

#include <vector>

#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"

namespace opyard::agents {

// XLA's DFS memory scheduler (hlo_memory_scheduler.cc): depth first from the sinks, each op right
// after the last of what it waits for. Of the ops that one waits for, and of the sinks, those come
// first before which most readers beside the first one hang on ops, then those before which most
// bytes are made; equals by topological index. Both are sums over all ways that lead there: no more
// readers than ops, no more bytes than were made so far. [num_ops], a topological order.
// O(ops + edges · log degree).
[[nodiscard]] std::vector<OpId> DepthFirstOrder(const sim::OpGraph& graph);

}  // namespace opyard::agents
