// What HDP sees of a problem's ops, as tensors.
#pragma once

#include <torch/torch.h>

#include "agents/planning/group_sequence.h"
#include "env/problem.h"

namespace opyard::agents {

// The published description of an op: its type, 5 dimensions of 5 outputs, 20 neighbours.
inline constexpr std::int64_t kShapeWidth = 25;
inline constexpr std::int64_t kNeighbourWidth = 20;
inline constexpr std::int64_t kTypeEmbedding = 16;  // unless faithful

// The columns of OpFeatures::x.
[[nodiscard]] std::int64_t OpFeatureWidth(bool faithful);

// N ops in the order of the graph, in U units that may not be split; E edges, D devices. float32
// unless said otherwise; no gradients.
struct OpFeatures {
  torch::Tensor op_type;      // [N] int64
  torch::Tensor unit_of_op;   // [N] int64, in [0, U)
  torch::Tensor unit_size;    // [U, 1]: how many ops it has
  torch::Tensor x;            // [U, OpFeatureWidth]: what the grouper reads beside the types
  torch::Tensor shapes;       // [U, kShapeWidth]: sums over its ops
  torch::Tensor edges;        // [2, E] int64: units of producers, then of consumers
  torch::Tensor device_mask;  // [U, D] bool: allowed
  torch::Tensor legal;        // [U, D] int64: the device that the unit takes in a group on the
                              // column's: that one, or the next, in a circle, that it may use
};

// With `faithful` x is the published code's: the number of the type, the dimensions as they are and
// the topological indices of neighbours, −1 where there is none. Otherwise the logarithms of
// 1 + dimension and the indices + 1 are divided by the greatest of the graph, 0 where there is
// none, the columns of env::Observation and cosines of the op's place in the graph stand beside
// them, and each column has mean 0 and variance 1 over the units, cut at 3 deviations. Neighbours
// are all that the op reads from or waits for, then all that read from it, by ascending topological
// index, and the first 20 count. Of a unit the mean of its ops.
[[nodiscard]] OpFeatures MakeOpFeatures(const env::Problem& problem,
                                        const GroupSequence& units,
                                        bool faithful);

// The same on `device`.
[[nodiscard]] OpFeatures ToDevice(const OpFeatures& features, torch::Device device);

}  // namespace opyard::agents
