// Topological orders by a rank that may rise along edges.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"

namespace opyard::agents {

// The number of tensors, each once, and control edges that each op waits for. [num_ops]
[[nodiscard]] std::vector<std::size_t> NumAwaited(const sim::OpGraph& graph);

// Ops as a list scheduler takes them: of those whose inputs are done the one with the greatest
// `rank`, equals by topological index. [num_ops]. O(edges + ops · log ops).
[[nodiscard]] std::vector<OpId> ReadyListOrder(const sim::OpGraph& graph,
                                               std::span<const double> rank);

}  // namespace opyard::agents
