// Figures of a whole graph: how deep, how wide, how long its longest path is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/units.h"
#include "sim/graph/op_graph.h"

namespace opyard::sim {

// For each op the number of edges (data and control) on the longest path that ends there; 0 for
// sources.
[[nodiscard]] std::vector<std::int32_t> OpDepths(const OpGraph& graph);

struct GraphExtent {
  std::int32_t depth = 0;  // ops on the longest path
  std::int32_t width = 0;  // most ops of one depth
};
[[nodiscard]] GraphExtent ExtentOf(const OpGraph& graph);

// The greatest sum of `op_times` along one path of data and control edges. REQUIRES: op_times has
// one time per op, and all together fit in SimTime.
[[nodiscard]] SimTime LongestPath(const OpGraph& graph, std::span<const SimTime> op_times);

}  // namespace opyard::sim
