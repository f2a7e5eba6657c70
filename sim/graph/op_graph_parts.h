// Graphs taken apart into the descriptions they were built from, to build altered ones.
#pragma once

#include <vector>

#include "sim/graph/op_graph.h"

namespace opyard::sim {

// Descriptions, in op order, that OpGraphBuilder turns into a graph equal to `graph`.
[[nodiscard]] std::vector<OpSpec> SpecsOf(const OpGraph& graph);

}  // namespace opyard::sim
