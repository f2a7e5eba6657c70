// The METIS library behind plain types.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "agents/planning/partitioning/group_graph.h"

namespace opyard::agents {

struct PartitionOptions {
  std::size_t num_parts = 2;
  std::vector<double> part_shares;  // [num_parts], of the work; empty: equal
  double imbalance = 0.03;          // a part may exceed its share by this fraction
  // The imbalance of the sum of `memory` per part, which is a second constraint if this is there.
  std::optional<double> memory_imbalance = std::nullopt;
  std::vector<double> memory_shares = {};  // [num_parts]; empty: equal
  std::int32_t seed = 0;
};

// Splits `graph` into parts with little traffic between them and work in balance:
// METIS_PartGraphKway (Karypis and Kumar 1998). Returns the part of each group; parts may stay
// empty. Equal arguments give equal parts. With no more groups than parts, each group is a part of
// its own. A group heavier than a whole part's share counts as that share, because METIS gives up
// on such graphs. Thread-safe: calls wait for each other, since METIS samples from the C library's
// one generator.
[[nodiscard]] std::vector<std::size_t> PartitionGroups(const GroupGraph& graph,
                                                       const PartitionOptions& options);

// The bytes on edges between different parts.
[[nodiscard]] double CutBytes(const GroupGraph& graph, std::span<const std::size_t> part);

}  // namespace opyard::agents
