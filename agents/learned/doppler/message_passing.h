// The graph network of both policies of DOPPLER.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "agents/learned/doppler/message_edges.h"

namespace opyard::agents::doppler {

// The network of Gilmer et al. ("Neural message passing for quantum chemistry", ICML 2017, section
// 5) without its readout, as the published code takes it from DGL-LifeSci. First h = ReLU(W x),
// which is the state of a GRU, too. Then round after round m_v = ReLU(b + Σ over edges u → v of
// A(e) h_u) and h = GRU(m, h). A(e), of width × width, is a network with one hidden layer over the
// feature of the edge.
class MessagePassing : public torch::nn::Module {
 public:
  MessagePassing(std::int64_t num_columns, std::int64_t width, std::int64_t rounds);

  // `x` [N, columns] → [N, width].
  [[nodiscard]] torch::Tensor Forward(const torch::Tensor& x, const MessageEdges& edges);

 private:
  std::int64_t width_;
  std::int64_t rounds_;
  torch::nn::Linear project_;
  torch::nn::Linear edge_hidden_;
  torch::nn::Linear edge_matrix_;
  torch::Tensor bias_;  // [width]
  torch::nn::GRUCell gru_;
};

}  // namespace opyard::agents::doppler
