// The order of ops, and of sets of ops, in the forward pass.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sim/graph/colocation.h"
#include "sim/graph/op_graph.h"

namespace opyard::sim {

// The first forward op of a set that reads tensors; without any the first forward op (weights and
// inputs are in no order of their own), without any the first op. Of several sets the least place
// is that of their union. In a graph without forward ops all count as such.
struct ForwardPlace {
  std::int32_t rank = 3;  // which of the three it is, from 0; 3 for a set without ops
  std::int32_t index = std::numeric_limits<std::int32_t>::max();  // topological index of that op
  friend auto operator<=>(const ForwardPlace&, const ForwardPlace&) = default;
};

// The place of each op alone: [num_ops].
[[nodiscard]] std::vector<ForwardPlace> ForwardPlacesOf(const OpGraph& graph);

// The groups in the order of the indices of their places: a permutation, [num_groups].
[[nodiscard]] std::vector<std::int32_t> GroupsInForwardOrder(const OpGraph& graph,
                                                             const Grouping& grouping);

}  // namespace opyard::sim
