// Groups of the problem's groups, as many as asked for, whatever their number.
#pragma once

#include <cstdint>

#include "env/problem.h"
#include "sim/graph/colocation.h"

namespace opyard::agents {

// Each group is a union of groups of the problem that may use the same devices. A part of groups
// that may use different ones is split by what they may use, so that there can be more than
// `num_groups`. Deterministic in the seed. REQUIRES: num_groups >= 1.

// METIS's parts (agents/planning/partitioning/metis_partition.h): little traffic between them, work
// in balance.
[[nodiscard]] sim::Grouping MetisGroups(const env::Problem& problem,
                                        std::int32_t num_groups,
                                        std::int32_t seed);

// Dealt at random into parts whose counts of the problem's groups differ by one at most.
[[nodiscard]] sim::Grouping RandomGroups(const env::Problem& problem,
                                         std::int32_t num_groups,
                                         std::int32_t seed);

}  // namespace opyard::agents
