// Graphs taken apart into the descriptions they were built from, to build altered ones.
#pragma once

#include <vector>

#include "sim/graph/op_graph.h"

namespace opyard::testing {

// Descriptions, in op order, that OpGraphBuilder turns into a graph equal to `graph`.
[[nodiscard]] std::vector<sim::OpSpec> SpecsOf(const sim::OpGraph& graph);

}  // namespace opyard::testing
