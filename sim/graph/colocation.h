// Which ops are decided together: co-location groups, coarsened where there are too many.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/graph/op_graph.h"

namespace opyard::sim {

// Each op belongs to one group. Groups are numbered by the least topological index of their ops.
struct Grouping {
  std::vector<std::int32_t> group_of;  // [num_ops], in [0, num_groups)
  std::int32_t num_groups = 0;
  friend bool operator==(const Grouping&, const Grouping&) = default;
};

// Places where ops may run, for merging groups: ops with equal numbers, from 0, may run in the same
// places. [num_ops], equal within a group; empty: their device kinds decide.
using PlaceSets = std::span<const std::int32_t>;

// One group per co-location label, and one per op without a label.
[[nodiscard]] Grouping ColocationGroups(const OpGraph& graph);

// Merges groups until at most `max_groups` are left, first along the edges that carry most bytes
// (ties: the earlier edge in topological order) as long as a group holds at most 2·ops / max_groups
// ops, then neighbours in topological order. Only groups that may run in the same places are
// merged, so that no op loses a choice: there are never fewer groups than such sets of places. O(n
// log n). REQUIRES: max_groups >= 1.
[[nodiscard]] Grouping CoarsenGroups(const OpGraph& graph,
                                     const Grouping& grouping,
                                     std::int32_t max_groups,
                                     const PlaceSets& places = {});

}  // namespace opyard::sim
