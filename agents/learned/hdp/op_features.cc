#include "agents/learned/hdp/op_features.h"

#include <algorithm>
#include <map>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "agents/learned/common/feature_tensors.h"
#include "env/observation.h"

namespace opyard::agents::hdp {
namespace {

constexpr std::int64_t kCosines = 8;  // of each of the columns below
constexpr std::int64_t kRank = 12;    // of env::Observation::x
constexpr std::int64_t kFromSources = 13;
constexpr auto kColumns = static_cast<std::int64_t>(env::kNumFeatures);

// Up to `limit` neighbours of each op.
struct NeighbourTable {
  torch::Tensor index;  // [N, limit]: topological; −1 where there is none
  torch::Tensor
      sign;  // [N, limit]: −1 of an op that it reads from, +1 of one that reads from it, 0
};

NeighbourTable Neighbours(const env::Observation& observation,
                          const sim::OpGraph& graph,
                          std::int64_t limit) {
  NeighbourTable table{.index = torch::full({observation.num_ops, limit}, -1.0),
                       .sign = torch::zeros({observation.num_ops, limit})};
  auto index = table.index.accessor<float, 2>();
  auto sign = table.sign.accessor<float, 2>();
  std::vector<std::int64_t> num_known(static_cast<std::size_t>(observation.num_ops), 0);
  const auto add = [&](std::int64_t op, std::int64_t neighbour, float direction) {
    std::int64_t& known = num_known[static_cast<std::size_t>(op)];
    if (known < limit) {
      index[op][known] =
          static_cast<float>(graph.topological_index(OpId(static_cast<std::size_t>(neighbour))));
      sign[op][known++] = direction;
    }
  };
  // Edges are sorted by producer, then consumer: both lists are ascending.
  const auto num_edges = static_cast<std::size_t>(observation.num_edges);
  const std::span<const std::int64_t> producers(observation.edge_index.data(), num_edges);
  const std::span<const std::int64_t> consumers(observation.edge_index.data() + num_edges,
                                                num_edges);
  for (std::size_t edge = 0; edge < num_edges; ++edge) {
    add(consumers[edge], producers[edge], -1.0F);
  }
  for (std::size_t edge = 0; edge < num_edges; ++edge) {
    add(producers[edge], consumers[edge], 1.0F);
  }
  return table;
}

// [N, kNeighbourWidth]: index and sign in turn, 0 where there is no neighbour.
torch::Tensor SignedPairs(const NeighbourTable& table) {
  return torch::stack({table.index.clamp_min(0.0), table.sign}, 2).flatten(1);
}

// The number of each op's type among those of the graph, by name: int64 [N].
torch::Tensor TypeNumbers(const sim::OpGraph& graph) {
  std::map<std::string, std::int64_t> numbers;
  for (const OpId op : graph.topological_order()) {
    numbers.emplace(graph.op(op).type, 0);
  }
  std::int64_t next = 0;
  for (auto& [type, number] : numbers) {
    number = next++;
  }
  torch::Tensor types = torch::empty({static_cast<std::int64_t>(graph.num_ops())}, torch::kLong);
  for (const OpId op : graph.topological_order()) {
    types[static_cast<std::int64_t>(op.index())] = numbers.at(graph.op(op).type);
  }
  return types;
}

// `values` [N, W] of numbers ≥ −1 as shares of the greatest.
torch::Tensor Shares(const torch::Tensor& values) {
  return values / values.max().clamp_min(1e-6);
}

// cos(π · j · column), j = 1 … kCosines: [N, kCosines] of a column [N, 1].
torch::Tensor Cosines(const torch::Tensor& column) {
  return torch::cos(column * torch::arange(1, kCosines + 1) * std::numbers::pi);
}

// The means of `values` [N, W] over the ops of each unit: [U, W].
torch::Tensor MeanOfUnits(const torch::Tensor& values, const OpFeatures& features) {
  return torch::zeros({features.unit_size.size(0), values.size(1)})
             .index_add_(0, features.unit_of_op, values) /
         features.unit_size;
}

constexpr double kMostDeviations = 3.0;

// Each column with mean 0 and variance 1, cut at kMostDeviations, so that what few ops have does
// not outweigh all else; one that is the same everywhere becomes 0.
torch::Tensor Standardised(const torch::Tensor& x) {
  const torch::Tensor centred = x - x.mean(0, /*keepdim=*/true);
  const torch::Tensor deviation = centred.square().mean(0, /*keepdim=*/true).sqrt();  // [1, W]
  return (centred / deviation.clamp_min(1e-3)).clamp(-kMostDeviations, kMostDeviations);
}

torch::Tensor Columns(const env::Observation& observation) {
  const torch::Tensor x =  // [N, kColumns]
      torch::tensor(observation.x).view({observation.num_ops, kColumns});
  return torch::cat({x,
                     Cosines(x.slice(1, kRank, kRank + 1)),
                     Cosines(x.slice(1, kFromSources, kFromSources + 1))},
                    1);
}

// [U, D] int64.
torch::Tensor LegalDevices(const torch::Tensor& device_mask) {
  const std::int64_t num_devices = device_mask.size(1);
  torch::Tensor legal = torch::empty(device_mask.sizes(), torch::kLong);
  auto device = legal.accessor<std::int64_t, 2>();
  const auto is_allowed = device_mask.accessor<bool, 2>();
  for (std::int64_t unit = 0; unit < device_mask.size(0); ++unit) {
    for (std::int64_t wanted = 0; wanted < num_devices; ++wanted) {
      std::int64_t taken = wanted;
      while (!is_allowed[unit][taken]) {
        taken = (taken + 1) % num_devices;
      }
      device[unit][wanted] = taken;
    }
  }
  return legal;
}

}  // namespace

std::int64_t OpFeatureWidth(bool faithful) {
  const std::int64_t published = kShapeWidth + kNeighbourWidth;
  return faithful ? 1 + published : published + kColumns + 2 * kCosines;
}

OpFeatures MakeOpFeatures(const env::Problem& problem, const GroupSequence& units, bool faithful) {
  const torch::NoGradGuard no_grad;
  const env::Observation observation = env::Observe(problem);
  const torch::Tensor unit_of_op = torch::tensor(units.group_of_op, torch::kLong);  // [N]
  const torch::Tensor edge_index =                                                  // [2, E]
      torch::tensor(observation.edge_index, torch::kLong).view({2, observation.num_edges});
  OpFeatures features{
      .op_type = torch::tensor(observation.op_type, torch::kLong),
      .unit_of_op = unit_of_op,
      .unit_size = torch::bincount(unit_of_op, {}, units.num_groups).to(torch::kFloat).unsqueeze(1),
      .x = {},
      .shapes = {},
      .edges = unit_of_op.index_select(0, edge_index.flatten()).view({2, observation.num_edges}),
      .device_mask = DeviceMask(units),
      .legal = {}};
  const sim::OpGraph& graph = problem.graph();
  torch::Tensor shapes = OutputShapes(graph, 0.0F);  // [N, kShapeWidth]
  torch::Tensor described;                           // [N, OpFeatureWidth]
  if (faithful) {
    const torch::Tensor types = TypeNumbers(graph);
    features.op_type = types.remainder(env::kTypeVocabulary);
    described = torch::cat({types.to(torch::kFloat).unsqueeze(1),
                            OutputShapes(graph, -1.0F),
                            SignedPairs(Neighbours(observation, graph, kNeighbourWidth / 2))},
                           1);
  } else {
    shapes = Shares(torch::log1p(shapes));
    const NeighbourTable neighbours = Neighbours(observation, graph, kNeighbourWidth);
    described = torch::cat({shapes, Shares(neighbours.index + 1.0), Columns(observation)}, 1);
  }
  features.x = MeanOfUnits(described, features);
  if (!faithful) {
    features.x = Standardised(features.x);
  }
  features.shapes = MeanOfUnits(shapes, features) * features.unit_size;
  features.legal = LegalDevices(features.device_mask);
  return features;
}

OpFeatures ToDevice(const OpFeatures& features, torch::Device device) {
  return {.op_type = features.op_type.to(device),
          .unit_of_op = features.unit_of_op.to(device),
          .unit_size = features.unit_size.to(device),
          .x = features.x.to(device),
          .shapes = features.shapes.to(device),
          .edges = features.edges.to(device),
          .device_mask = features.device_mask.to(device),
          .legal = features.legal.to(device)};
}

}  // namespace opyard::agents::hdp
