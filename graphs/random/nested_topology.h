// Random acyclic graphs that nest: every part has one first and one last node.
#pragma once

#include <cstdint>

#include "graphs/random/topology.h"
#include "sim/base/rng.h"

namespace opyard::graphs {

// A two-terminal series-parallel graph (Valdes et al. 1982) of exactly `num_nodes`. A part is one
// node, two parts one behind the other, or, with probability `parallel` where at least four nodes
// are left, two parts side by side between a node that forks and one that joins. Parts are cut
// within the middle half of their nodes. O(nodes · log nodes).
[[nodiscard]] Topology SampleSeriesParallel(std::int32_t num_nodes, double parallel, Rng& rng);

// Stages one behind the other, each a node that forks into 1 … 2 · `branches` − 1 chains of
// 1 … 2 · `length` − 1 nodes, both uniform. Chains meet in the node that forks next. The last stage
// is cut where the nodes end.
[[nodiscard]] Topology SampleForkJoin(std::int32_t num_nodes,
                                      std::int32_t branches,
                                      std::int32_t length,
                                      Rng& rng);

}  // namespace opyard::graphs
