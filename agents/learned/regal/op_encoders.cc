#include "agents/learned/regal/op_encoders.h"

#include <tuple>

#include "env/observation.h"

namespace opyard::agents::regal {

namespace nn = torch::nn;

namespace {

nn::Linear OfEdges(std::int64_t hidden) {
  return nn::Linear(
      nn::LinearOptions(static_cast<std::int64_t>(env::kNumEdgeFeatures), hidden).bias(false));
}

nn::Linear OfFeatures(const OpEncoderSizes& sizes) {
  return nn::Linear(sizes.type_embedding + static_cast<std::int64_t>(env::kNumFeatures),
                    sizes.hidden);
}

torch::Tensor Described(nn::Embedding& type, nn::Linear& input, const OpGraph& graph) {
  return torch::relu(input(torch::cat({type(graph.type), graph.x}, 1)));  // [N, hidden]
}

}  // namespace

MessageEncoder::MessageEncoder(const OpEncoderSizes& sizes)
    : sizes_(sizes),
      type_(env::kTypeVocabulary, sizes.type_embedding),
      input_(OfFeatures(sizes)),
      producers_{.ops = nn::Linear(sizes.hidden, sizes.hidden), .edges = OfEdges(sizes.hidden)},
      consumers_{.ops = nn::Linear(sizes.hidden, sizes.hidden), .edges = OfEdges(sizes.hidden)},
      combine_(3 * sizes.hidden, sizes.hidden) {
  register_module("type", type_);
  register_module("input", input_);
  register_module("producer_ops", producers_.ops);
  register_module("producer_edges", producers_.edges);
  register_module("consumer_ops", consumers_.ops);
  register_module("consumer_edges", consumers_.edges);
  register_module("combine", combine_);
}

torch::Tensor MessageEncoder::Summed(Messages& messages,
                                     const torch::Tensor& ops,
                                     const OpNeighbours& neighbours) {
  const torch::Tensor of_sources = Gather(messages.ops(ops).unsqueeze(0), neighbours.edges);
  const torch::Tensor of_edges =  // [1, E, hidden]
      torch::relu(of_sources + messages.edges(neighbours.x));
  return Scatter(of_edges, neighbours.edges, Aggregation::kSum).squeeze(0);
}

torch::Tensor MessageEncoder::Forward(const OpGraph& graph) {
  torch::Tensor ops = Described(type_, input_, graph);  // [N, hidden]
  for (std::int64_t round = 0; round < sizes_.rounds; ++round) {
    const torch::Tensor messages =  // [N, 3 hidden]
        torch::cat({ops,
                    Summed(producers_, ops, graph.links.producers),
                    Summed(consumers_, ops, graph.links.consumers)},
                   1);
    ops = torch::layer_norm(ops + torch::relu(combine_(messages)), {sizes_.hidden});
  }
  return ops;
}

SequenceEncoder::SequenceEncoder(const OpEncoderSizes& sizes)
    : type_(env::kTypeVocabulary, sizes.type_embedding),
      input_(OfFeatures(sizes)),
      sequence_(nn::LSTMOptions(sizes.hidden, sizes.hidden / 2).bidirectional(true)) {
  register_module("type", type_);
  register_module("input", input_);
  register_module("sequence", sequence_);
}

torch::Tensor SequenceEncoder::Forward(const OpGraph& graph, const torch::Tensor& order) {
  const torch::Tensor read =  // [N, 1, hidden]
      Described(type_, input_, graph).index_select(0, order).unsqueeze(1);
  const torch::Tensor messages = std::get<0>(sequence_(read)).squeeze(1);  // [N, hidden]
  return messages.index_select(0, order.argsort());
}

}  // namespace opyard::agents::regal
