#include "agents/learned/common/op_graph.h"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace opyard::agents {
namespace {

// `source` and `target`: [E], ops.
OpNeighbours MakeNeighbours(const torch::Tensor& source,
                            const torch::Tensor& target,
                            const torch::Tensor& edge_x,
                            std::int64_t num_ops) {
  const torch::Tensor order =  // [E]: by target, those of one target by source
      (target * num_ops + source).argsort(/*stable=*/true, /*dim=*/0, /*descending=*/false);
  const torch::Tensor counts = torch::bincount(target, {}, num_ops);  // [N]
  return {.edges = {.num_rows = num_ops,
                    .source = source.index_select(0, order),
                    .target = target.index_select(0, order),
                    .inverse = counts.clamp_min(1).to(torch::kFloat).reciprocal().unsqueeze(1)},
          .x = edge_x.index_select(0, order)};
}

OpNeighbours ToDevice(const OpNeighbours& neighbours, torch::Device device) {
  return {.edges = agents::ToDevice(neighbours.edges, device), .x = neighbours.x.to(device)};
}

}  // namespace

OpLinks MakeOpLinks(const torch::Tensor& source,
                    const torch::Tensor& target,
                    const torch::Tensor& edge_x,
                    std::int64_t num_ops) {
  return {.producers = MakeNeighbours(source, target, edge_x, num_ops),
          .consumers = MakeNeighbours(target, source, edge_x, num_ops)};
}

OpGraph MakeOpGraph(const env::Observation& observation) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor edges =  // [2, E]
      torch::tensor(observation.edge_index, torch::kLong).view({2, observation.num_edges});
  const torch::Tensor edge_x =  // [E, edge features]
      torch::tensor(observation.edge_x, torch::kFloat)
          .view({observation.num_edges, static_cast<std::int64_t>(env::kNumEdgeFeatures)});
  const std::int64_t num_ops = observation.num_ops;
  return {.type = torch::tensor(observation.op_type, torch::kLong),
          .x = torch::tensor(observation.x)
                   .view({num_ops, static_cast<std::int64_t>(env::kNumFeatures)}),
          .links = MakeOpLinks(edges[0], edges[1], edge_x, num_ops)};
}

OpLinks ToDevice(const OpLinks& links, torch::Device device) {
  return {.producers = ToDevice(links.producers, device),
          .consumers = ToDevice(links.consumers, device)};
}

OpGraph ToDevice(const OpGraph& graph, torch::Device device) {
  return {.type = graph.type.to(device),
          .x = graph.x.to(device),
          .links = ToDevice(graph.links, device)};
}

}  // namespace opyard::agents
