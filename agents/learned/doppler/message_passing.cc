#include "agents/learned/doppler/message_passing.h"

namespace opyard::agents::doppler {

namespace nn = torch::nn;

MessagePassing::MessagePassing(std::int64_t num_columns, std::int64_t width, std::int64_t rounds)
    : width_(width),
      rounds_(rounds),
      project_(num_columns, width),
      edge_hidden_(1, width),
      edge_matrix_(width, width * width),
      bias_(torch::zeros({width})),
      gru_(width, width) {
  register_module("project", project_);
  register_module("edge_hidden", edge_hidden_);
  register_module("edge_matrix", edge_matrix_);
  bias_ = register_parameter("bias", bias_);
  register_module("gru", gru_);
}

torch::Tensor MessagePassing::Forward(const torch::Tensor& x, const MessageEdges& edges) {
  const torch::Tensor matrices =  // [B, width, width]
      edge_matrix_(torch::relu(edge_hidden_(edges.feature)))
          .view({edges.feature.size(0), width_, width_})
          .index_select(0, edges.feature_of_block);
  torch::Tensor state = torch::relu(project_(x));  // [N, width]
  for (std::int64_t round = 0; round < rounds_; ++round) {
    const torch::Tensor sent =  // [B, kBlock, width]
        state.index_select(0, edges.source)
            .view({edges.feature_of_block.size(0), MessageEdges::kBlock, width_})
            .bmm(matrices);
    const torch::Tensor heard =  // [N, width]
        torch::zeros_like(state).index_add(0, edges.target, sent.flatten(0, 1) * edges.is_edge);
    state = gru_(torch::relu(heard + bias_), state);
  }
  return state;
}

}  // namespace opyard::agents::doppler
