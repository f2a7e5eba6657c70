// GO's encoder: a graph network that makes a vector of each op.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/common/op_graph.h"

namespace opyard::agents::go {

// One layer of GraphSAGE (Hamilton et al., NeurIPS 2017, section 3) with the pooling that GO gives
// (Zhou et al., NeurIPS 2020, section 3.1), for the producers and for the consumers of an op, each
// with weights of their own. The layer computes
//   pool(v) = max over the edges (u, v) of ReLU(P h(u) + Q edge_x(u, v) + b); 0 without edges
//   h'(v)   = LN(h(v) + ReLU(F [h(v); pool over producers; pool over consumers] + c)).
//
// Deviations from GO: edges have features, the layer adds to what it reads, and LN, a layer norm
// without weights, ends it; GO says nothing of either.
class SageLayer : public torch::nn::Module {
 public:
  explicit SageLayer(std::int64_t hidden);

  // [N, hidden] → [N, hidden].
  [[nodiscard]] torch::Tensor Forward(const torch::Tensor& ops, const OpLinks& links);

 private:
  // The messages of one direction, with the two matrices of that direction.
  struct Pool {
    torch::nn::Linear ops;
    torch::nn::Linear edges;
  };
  [[nodiscard]] static torch::Tensor Pooled(Pool& pool,
                                            const torch::Tensor& ops,
                                            const OpNeighbours& neighbours);

  std::int64_t hidden_;
  Pool producers_;
  Pool consumers_;
  torch::nn::Linear combine_;
};

// An embedding of the type beside the features, a matrix, and layers of GraphSAGE.
class GraphEncoder : public torch::nn::Module {
 public:
  struct Sizes {
    std::int64_t type_embedding = 32;
    std::int64_t hidden = 128;
    std::int64_t layers = 3;
  };
  explicit GraphEncoder(const Sizes& sizes);

  // [N, hidden].
  [[nodiscard]] torch::Tensor Forward(const OpGraph& graph);

 private:
  torch::nn::Embedding type_;
  torch::nn::Linear input_;
  std::vector<std::shared_ptr<SageLayer>> layers_;
};

}  // namespace opyard::agents::go
