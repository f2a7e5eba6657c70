// Digests that distinguish graphs of different structure.
#pragma once

#include <cstdint>

#include "sim/graph/op_graph.h"

namespace opyard::sim {

// A digest of which ops wait for which, through tensors or control edges alike. Equal for graphs
// that differ in the order of their ops, in names, types or sizes alone; different, but for a
// chance of 2^-64, where colour refinement (Weisfeiler and Leman 1968) separates two structures.
// O(edges · log degree).
[[nodiscard]] std::uint64_t TopologyDigest(const OpGraph& graph);

}  // namespace opyard::sim
