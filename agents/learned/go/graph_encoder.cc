#include "agents/learned/go/graph_encoder.h"

#include <memory>
#include <string>

#include "env/observation.h"

namespace opyard::agents::go {

namespace nn = torch::nn;

SageLayer::SageLayer(std::int64_t hidden)
    : hidden_(hidden),
      producers_{.ops = nn::Linear(hidden, hidden),
                 .edges = nn::Linear(nn::LinearOptions(env::kNumEdgeFeatures, hidden).bias(false))},
      consumers_{.ops = nn::Linear(hidden, hidden),
                 .edges = nn::Linear(nn::LinearOptions(env::kNumEdgeFeatures, hidden).bias(false))},
      combine_(3 * hidden, hidden) {
  register_module("producer_ops", producers_.ops);
  register_module("producer_edges", producers_.edges);
  register_module("consumer_ops", consumers_.ops);
  register_module("consumer_edges", consumers_.edges);
  register_module("combine", combine_);
}

torch::Tensor SageLayer::Pooled(Pool& pool,
                                const torch::Tensor& ops,
                                const OpNeighbours& neighbours) {
  const torch::Tensor of_sources = Gather(pool.ops(ops).unsqueeze(0), neighbours.edges);
  const torch::Tensor messages =  // [1, E, hidden]
      torch::relu(of_sources + pool.edges(neighbours.x));
  return Scatter(messages, neighbours.edges, Aggregation::kMax).squeeze(0);
}

torch::Tensor SageLayer::Forward(const torch::Tensor& ops, const OpLinks& links) {
  const torch::Tensor messages =  // [N, 3 hidden]
      torch::cat(
          {ops, Pooled(producers_, ops, links.producers), Pooled(consumers_, ops, links.consumers)},
          1);
  return torch::layer_norm(ops + torch::relu(combine_(messages)), {hidden_});
}

GraphEncoder::GraphEncoder(const Sizes& sizes)
    : type_(env::kTypeVocabulary, sizes.type_embedding),
      input_(sizes.type_embedding + static_cast<std::int64_t>(env::kNumFeatures), sizes.hidden) {
  register_module("type", type_);
  register_module("input", input_);
  for (std::int64_t i = 0; i < sizes.layers; ++i) {
    layers_.push_back(
        register_module("layer" + std::to_string(i), std::make_shared<SageLayer>(sizes.hidden)));
  }
}

torch::Tensor GraphEncoder::Forward(const OpGraph& graph) {
  torch::Tensor ops =  // [N, hidden]
      torch::relu(input_(torch::cat({type_(graph.type), graph.x}, 1))).to(torch::kFloat);
  for (const std::shared_ptr<SageLayer>& layer : layers_) {
    ops = layer->Forward(ops, graph.links);
  }
  return ops;
}

}  // namespace opyard::agents::go
