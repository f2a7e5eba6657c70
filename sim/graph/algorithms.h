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

// The latest end of an op along paths of data and control edges, if no op starts before its release
// or the end of those before it; without releases the greatest sum of `op_times` along one path.
// REQUIRES: op_times has one time per op, and all together, after the last release, fit in SimTime.
[[nodiscard]] SimTime LongestPath(const OpGraph& graph, std::span<const SimTime> op_times);

}  // namespace opyard::sim
