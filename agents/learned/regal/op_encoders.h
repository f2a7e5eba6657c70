// The encoders of REGAL and of GAS: a vector for each op.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "agents/learned/common/op_graph.h"

namespace opyard::agents::regal {

// Widths that both encoders have.
struct OpEncoderSizes {
  std::int64_t type_embedding = 16;
  std::int64_t hidden = 64;
  std::int64_t rounds = 8;  // of messages
};

// REGAL's graph network (Paliwal et al., ICLR 2020, section 3): rounds with one set of weights, in
// which messages go along the edges in both directions, with weights of their own, and are summed.
//   Producers:  to(v)   = Σ over the edges (u, v) of ReLU(P h(u) + Q edge_x(u, v) + b).
//   Consumers:  from(v) = Σ over the edges (v, w) of ReLU(P' h(w) + Q' edge_x(v, w) + b').
//   State:      h'(v)   = LN(h(v) + ReLU(F [h(v); to(v); from(v)] + c)).
// Before the first round h is ReLU of a matrix times the type's embedding and the features of the
// op. LN, a layer norm without weights, is ours: sums over hundreds of edges would grow from round
// to round.
class MessageEncoder : public torch::nn::Module {
 public:
  explicit MessageEncoder(const OpEncoderSizes& sizes);

  // [N, hidden].
  [[nodiscard]] torch::Tensor Forward(const OpGraph& graph);

 private:
  // The messages of one direction, with the two matrices of that direction.
  struct Messages {
    torch::nn::Linear ops;
    torch::nn::Linear edges;
  };
  [[nodiscard]] static torch::Tensor Summed(Messages& messages,
                                            const torch::Tensor& ops,
                                            const OpNeighbours& neighbours);

  OpEncoderSizes sizes_;
  torch::nn::Embedding type_;
  torch::nn::Linear input_;
  Messages producers_;
  Messages consumers_;
  torch::nn::Linear combine_;
};

// GAS, REGAL's ablation that reads the graph as a sequence (same paper, section 4): an LSTM over
// the ops in topological order, here in both directions, each of half the width.
class SequenceEncoder : public torch::nn::Module {
 public:
  explicit SequenceEncoder(const OpEncoderSizes& sizes);

  // `order`: the ops in topological order, int64 [N] → [N, hidden], a row per op as in `graph`.
  [[nodiscard]] torch::Tensor Forward(const OpGraph& graph, const torch::Tensor& order);

 private:
  torch::nn::Embedding type_;
  torch::nn::Linear input_;
  torch::nn::LSTM sequence_;
};

}  // namespace opyard::agents::regal
