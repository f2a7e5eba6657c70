// ColocRL's grouping: what only one group reads is decided together with its reader.
#pragma once

#include <cstdint>

#include "sim/graph/colocation.h"

namespace opyard::sim {

// Merges each group whose outputs are read by exactly one other group into that reader, until no
// more merge (ColocRL, Mirhoseini et al. 2017). Two
// deviations: groups grow to at most `max_ops` ops, because a graph of one sink would otherwise
// melt into one group, and only groups that may run in the same places merge, so that no op loses a
// choice. The groups may form cycles. Deterministic: readers are visited before those they
// read. O(edges) per pass, few passes. REQUIRES: max_ops >= 1.
[[nodiscard]] Grouping MergeSingleConsumers(const OpGraph& graph,
                                            const Grouping& grouping,
                                            std::int32_t max_ops,
                                            const PlaceSets& places = {});

}  // namespace opyard::sim
