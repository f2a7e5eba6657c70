// Regions of a graph with one way in: what a coarser graph may keep whole.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/colocation.h"
#include "sim/graph/topological_sort.h"

namespace opyard::sim {

// The most nodes that the functions below take: the reduction holds nodes² bits, and Boost.Graph's
// dominators recurse along paths.
inline constexpr std::size_t kMostReducedNodes = 4096;

// The edges that no longer path implies, each once: what is left orders the nodes as before.
// O(nodes · edges) time. REQUIRES: no cycles; kMostReducedNodes at most.
[[nodiscard]] EdgeLists TransitiveReduction(const EdgeLists& edges);

// For each node the last one before it that every path to it from a node without predecessors
// passes; −1 where there is none (Lengauer and Tarjan 1979). Almost linear. REQUIRES: no cycles;
// kMostReducedNodes at most.
[[nodiscard]] std::vector<std::int32_t> ImmediateDominators(const EdgeLists& edges);

// Merges groups into regions of at most `max_ops` ops along the dominator tree of the transitive
// reduction. From the leaves up, each group takes the regions of the groups that it dominates
// immediately, the smallest first (ties: the lower number), as long as they fit. So a chain, or a
// block that parts and joins again, merges before anything that data enters from elsewhere. Edges
// that a longer path implies, as those around a residual block or from a forward op to its
// gradient, do not count as ways in. Groups stand at their first op that has inputs, and only edges
// from earlier to later ones count: a Variable and its update, which make a circle of everything
// between them, thus make none. Only groups that may run on the same device kinds merge. Beyond
// kMostReducedNodes groups CoarsenGroups merges first, to that many. Deterministic.
// REQUIRES: max_ops >= 1.
[[nodiscard]] Grouping MergeDominated(const OpGraph& graph,
                                      const Grouping& grouping,
                                      std::int32_t max_ops);

}  // namespace opyard::sim
