// The Scotch library behind plain types.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agents/planning/partitioning/group_graph.h"

namespace opyard::agents {

// Maps `graph` onto the complete graph of as many devices as there are `speeds`, all of one
// distance from each other and of these relative speeds: SCOTCH_graphMap (dual recursive
// bipartitioning and multilevel k-way refinement) with the library's default strategy, where the
// load of a device may exceed its share by the fraction `imbalance`. Returns the part of each
// group; parts may stay empty. Equal arguments give equal parts, whatever ran before: one thread
// and a random state of its own, started afresh. With no more groups than devices, each group is a
// part of its own. Thread-safe.
[[nodiscard]] std::vector<std::size_t> MapGroups(const GroupGraph& graph,
                                                 std::span<const double> speeds,
                                                 double imbalance);

}  // namespace opyard::agents
