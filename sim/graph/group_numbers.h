// Groups from labels.
#pragma once

#include <cstdint>
#include <span>

#include "sim/graph/colocation.h"

namespace opyard::sim {

// One group per label that occurs, numbered by the least topological index of its ops. REQUIRES: a
// label per op, in [0, num_labels).
[[nodiscard]] Grouping NumberedByFirstOp(const OpGraph& graph,
                                         std::span<const std::int32_t> label_of,
                                         std::size_t num_labels);

}  // namespace opyard::sim
