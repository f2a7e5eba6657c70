// A graph as GO's encoder reads it.
#pragma once

#include <torch/torch.h>

#include "agents/learned/common/sparse_edges.h"
#include "env/observation.h"

namespace opyard::agents {

// What each op reads along the edges that lead to it in one direction.
struct OpNeighbours {
  SparseEdges edges;  // a row per op, edges in the order of the sources
  torch::Tensor x;    // [E, env::kNumEdgeFeatures], of these edges
};

// N ops, E edges; no gradients.
struct OpGraph {
  torch::Tensor type;      // int64 [N], below env::kTypeVocabulary
  torch::Tensor x;         // [N, env::kNumFeatures], in [0, 1]
  OpNeighbours producers;  // of each op, those that it reads from or waits for
  OpNeighbours consumers;
};

[[nodiscard]] OpGraph MakeOpGraph(const env::Observation& observation);

}  // namespace opyard::agents
