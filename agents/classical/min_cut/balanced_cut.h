// Minimum cuts that keep a balance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/graph/min_cut.h"

namespace opyard::agents {

struct BalancedCutOptions {
  double source_share = 0.5;  // of the weight
  double imbalance = 0.1;     // the source side may miss its share by this fraction of it
  std::int32_t source = 0;    // the node that begins each side; two different ones
  std::int32_t sink = 1;
};

// Parts the nodes in two with little capacity cut and the weight in balance: FBB of Yang and Wong,
// "Efficient network flow based min-cut balanced partitioning" (ICCAD 1994), section 4. The minimum
// cut between the two seeds is taken. While the source side is too light, it becomes one with the
// source, and so do nodes beyond the cut; while too heavy, the other side does the same with the
// sink. Deviations: several nodes are taken at once, those nearest to the cut by nets (ties: by
// index), as many as weigh half of what is missing, so that few flows are needed. None that would
// tip the balance over is taken while there are others, and none that would take the weight further
// from its share than it is. Where no cut is in balance, the nearest to it counts.
// Returns for each node whether it is on the source side, [num_nodes]. Deterministic.
// REQUIRES: two nodes at least, weights >= 0, and what FindMinimumCut asks of nets.
[[nodiscard]] std::vector<bool> BalancedCut(std::span<const double> weights,
                                            std::span<const sim::Net> nets,
                                            const BalancedCutOptions& options);

}  // namespace opyard::agents
