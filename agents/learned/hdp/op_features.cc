#include "agents/learned/hdp/op_features.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "agents/learned/common/feature_tensors.h"
#include "env/observation.h"

namespace opyard::agents {
namespace {

constexpr std::int64_t kShapeSide = 5;  // outputs, and dimensions of each
constexpr std::int64_t kCosines = 8;    // of each of the columns below
constexpr std::int64_t kRank = 12;      // of env::Observation::x
constexpr std::int64_t kFromSources = 13;
constexpr auto kColumns = static_cast<std::int64_t>(env::kNumFeatures);

// [N, kShapeWidth]: dimensions; −1 where there is none.
torch::Tensor Dimensions(const sim::OpGraph& graph) {
  const auto num_ops = static_cast<std::int64_t>(graph.num_ops());
  torch::Tensor dimensions = torch::full({num_ops, kShapeWidth}, -1.0);
  auto cell = dimensions.accessor<float, 2>();
  for (std::int64_t op = 0; op < num_ops; ++op) {
    const OpId id(static_cast<std::size_t>(op));
    const auto num_outputs = std::min<std::size_t>(graph.num_outputs(id), kShapeSide);
    for (std::size_t output = 0; output < num_outputs; ++output) {
      const std::span<const std::int64_t> shape = graph.shape(graph.output(id, output));
      for (std::size_t i = 0; i < std::min<std::size_t>(shape.size(), kShapeSide); ++i) {
        cell[op][static_cast<std::int64_t>(output * kShapeSide + i)] = static_cast<float>(shape[i]);
      }
    }
  }
  return dimensions;
}

// [N, kNeighbourWidth]: topological indices; −1 where there is none.
torch::Tensor Neighbours(const env::Observation& observation, const sim::OpGraph& graph) {
  torch::Tensor neighbours = torch::full({observation.num_ops, kNeighbourWidth}, -1.0);
  auto cell = neighbours.accessor<float, 2>();
  std::vector<std::int64_t> num_known(static_cast<std::size_t>(observation.num_ops), 0);
  const auto add = [&](std::int64_t op, std::int64_t neighbour) {
    std::int64_t& known = num_known[static_cast<std::size_t>(op)];
    if (known < kNeighbourWidth) {
      cell[op][known++] =
          static_cast<float>(graph.topological_index(OpId(static_cast<std::size_t>(neighbour))));
    }
  };
  // Edges are sorted by producer, then consumer: both lists are ascending.
  const auto num_edges = static_cast<std::size_t>(observation.num_edges);
  const std::span<const std::int64_t> producers(observation.edge_index.data(), num_edges);
  const std::span<const std::int64_t> consumers(observation.edge_index.data() + num_edges,
                                                num_edges);
  for (std::size_t edge = 0; edge < num_edges; ++edge) {
    add(consumers[edge], producers[edge]);
  }
  for (std::size_t edge = 0; edge < num_edges; ++edge) {
    add(producers[edge], consumers[edge]);
  }
  return neighbours;
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
  torch::Tensor shapes = Dimensions(problem.graph());                   // [N, kShapeWidth]
  torch::Tensor neighbours = Neighbours(observation, problem.graph());  // [N, kNeighbourWidth]
  if (faithful) {
    const torch::Tensor type = features.op_type.to(torch::kFloat).unsqueeze(1);  // [N, 1]
    features.x = MeanOfUnits(torch::cat({type, shapes, neighbours}, 1), features);
  } else {
    shapes = Shares(torch::log1p(shapes.clamp_min(0.0)));
    neighbours = Shares(neighbours + 1.0);
    features.x = Standardised(
        MeanOfUnits(torch::cat({shapes, neighbours, Columns(observation)}, 1), features));
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

}  // namespace opyard::agents
