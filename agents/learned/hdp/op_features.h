// The features of a problem's ops that HDP reads, as tensors.
#pragma once

#include <torch/torch.h>

#include "agents/learned/common/output_shapes.h"
#include "agents/planning/grouping/group_sequence.h"
#include "env/problem.h"

namespace opyard::agents::hdp {

// The published description of an op: its type, its output shapes, and 10 neighbours, each with a
// sign.
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

// With `faithful` x is the published code's (tensorflow/python/grappler/hierarchical_controller.py,
// create_op_embeddings). It has the number of the type among those of the graph, by name; the
// output shapes, −1 where there is no dimension; and pairs of a neighbour's topological index and a
// sign. The sign is −1 of an op that it reads from, +1 of one that reads from it, 0 where there is
// none. `shapes` has 0 where there is no dimension, and op_type is the number of the type modulo
// env::kTypeVocabulary.
//
// Otherwise op_type is hashed. The first columns of x are the logarithms of 1 + dimension and the
// topological indices + 1 of 20 neighbours, each divided by the greatest of the graph, 0 where
// there is none. Then come the columns of env::Observation and cosines of the op's place in the
// graph. Each column has mean 0 and variance 1 over the units, clipped at 3 standard deviations.
//
// Neighbours are the ops that the op reads from or waits for, then those that read from it, by
// ascending topological index; the first 10 or 20 count. Of a unit the mean of its ops.
[[nodiscard]] OpFeatures MakeOpFeatures(const env::Problem& problem,
                                        const GroupSequence& units,
                                        bool faithful);

// The same on `device`.
[[nodiscard]] OpFeatures ToDevice(const OpFeatures& features, torch::Device device);

}  // namespace opyard::agents::hdp
