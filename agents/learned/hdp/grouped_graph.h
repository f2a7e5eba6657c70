// The input of HDP's placer: the groups that the grouper made, as tensors.
#pragma once

#include <torch/torch.h>

#include "agents/learned/hdp/op_features.h"

namespace opyard::agents::hdp {

// K samples, G groups, D devices.
struct GroupedGraph {
  torch::Tensor x;            // [K, G, GroupWidth(G)] float32
  torch::Tensor device_mask;  // [K, G, D] bool: what some unit of the group may use; of a group
                              // without units the first device alone, so that there is no choice
  torch::Tensor is_used;      // [K, G] bool: has units
};

// Edges to each group, then from each, types, and sums of shapes.
[[nodiscard]] std::int64_t GroupWidth(std::int64_t num_groups);

// Per group how many edges lead to each group and from each (its own included), how many ops of
// each type it has, and the sums of its ops' shapes; each row divided by its maximum + 1. The
// groups of units are int64 [K, U], in [0, num_groups). O(K (N + E + num_groups²)).
[[nodiscard]] GroupedGraph MakeGroupedGraph(const OpFeatures& features,
                                            const torch::Tensor& groups,
                                            std::int64_t num_groups);

}  // namespace opyard::agents::hdp
