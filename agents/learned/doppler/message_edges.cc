#include "agents/learned/doppler/message_edges.h"

#include <algorithm>
#include <tuple>

namespace opyard::agents::doppler {

MessageEdges MakeMessageEdges(std::vector<MessageEdge> edges, torch::Device device) {
  std::ranges::sort(edges, {}, [](const MessageEdge& edge) {
    return std::tuple(edge.feature, edge.source, edge.target);
  });
  std::vector<float> features;
  std::vector<std::int64_t> feature_of_block;
  std::vector<std::int64_t> sources;
  std::vector<std::int64_t> targets;
  std::vector<float> is_edge;
  const auto fill_up = [&] {
    while (std::ssize(sources) % MessageEdges::kBlock != 0) {
      sources.push_back(0);
      targets.push_back(0);
      is_edge.push_back(0.0F);
    }
  };
  for (const MessageEdge& edge : edges) {
    if (features.empty() || edge.feature != features.back()) {
      fill_up();
      features.push_back(edge.feature);
    }
    if (std::ssize(sources) % MessageEdges::kBlock == 0) {
      feature_of_block.push_back(std::ssize(features) - 1);
    }
    sources.push_back(edge.source);
    targets.push_back(edge.target);
    is_edge.push_back(1.0F);
  }
  fill_up();
  return {.feature = torch::tensor(features, torch::kFloat).unsqueeze(1).to(device),
          .feature_of_block = torch::tensor(feature_of_block, torch::kLong).to(device),
          .source = torch::tensor(sources, torch::kLong).to(device),
          .target = torch::tensor(targets, torch::kLong).to(device),
          .is_edge = torch::tensor(is_edge, torch::kFloat).unsqueeze(1).to(device)};
}

}  // namespace opyard::agents::doppler
