#include "agents/learned/go/op_graph.h"

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

}  // namespace

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
          .producers = MakeNeighbours(edges[0], edges[1], edge_x, num_ops),
          .consumers = MakeNeighbours(edges[1], edges[0], edge_x, num_ops)};
}

}  // namespace opyard::agents
