// A graph as an encoder of its ops reads it.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "agents/learned/common/sparse_edges.h"
#include "env/observation.h"

namespace opyard::agents {

// The neighbours that each op reads, along the edges that lead to it in one direction.
struct OpNeighbours {
  SparseEdges edges;  // a row per op, edges in the order of the sources
  torch::Tensor x;    // [E, env::kNumEdgeFeatures], of these edges
};

struct OpLinks {
  OpNeighbours producers;  // of each op, those that it reads from or waits for
  OpNeighbours consumers;
};

// N ops, E edges; no gradients.
struct OpGraph {
  torch::Tensor type;  // int64 [N], below env::kTypeVocabulary
  torch::Tensor x;     // [N, env::kNumFeatures], in [0, 1]
  OpLinks links;
};

// Those of edges from the ops `source` to the ops `target`, int64 [E] each, with `edge_x`,
// [E, env::kNumEdgeFeatures].
[[nodiscard]] OpLinks MakeOpLinks(const torch::Tensor& source,
                                  const torch::Tensor& target,
                                  const torch::Tensor& edge_x,
                                  std::int64_t num_ops);

[[nodiscard]] OpGraph MakeOpGraph(const env::Observation& observation);
// The same on `device`.
[[nodiscard]] OpLinks ToDevice(const OpLinks& links, torch::Device device);
[[nodiscard]] OpGraph ToDevice(const OpGraph& graph, torch::Device device);

}  // namespace opyard::agents
