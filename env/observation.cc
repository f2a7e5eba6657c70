#include "env/observation.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "sim/base/error.h"

namespace opyard::env {
namespace {

// Columns of Observation::x (see the table at kFeatureNames).
enum Column : std::size_t {
  kOutputBytes = 0,
  kParamBytes = 1,
  kWorkspaceBytes = 2,
  kFlops = 3,
  kComputeTime = 4,
  kShape = 5,
  kInDegree = 10,
  kOutDegree = 11,
  kRank = 12,
  kFromSources = 13,
  kToSinks = 14,
  kFusionClass = 15,
  kIsColocated = 21,
  kIsBackward = 22,
  kIsUpdate = 23,
};
constexpr std::size_t kMostDims = 5;

struct Edge {
  OpId from;
  OpId to;
  friend bool operator==(const Edge&, const Edge&) = default;
};

// Each joined pair once, sorted by topological index of producer, then consumer.
std::vector<Edge> DistinctEdges(const sim::OpGraph& graph) {
  std::vector<Edge> edges;
  for (const OpId op : graph.topological_order()) {
    const std::size_t first = edges.size();
    for (std::size_t i = 0; i < graph.num_outputs(op); ++i) {
      for (const OpId consumer : graph.consumers(graph.output(op, i))) {
        edges.push_back({.from = op, .to = consumer});
      }
    }
    for (const OpId consumer : graph.control_consumers(op)) {
      edges.push_back({.from = op, .to = consumer});
    }
    const auto own =
        std::ranges::subrange(edges.begin() + static_cast<std::ptrdiff_t>(first), edges.end());
    std::ranges::sort(own, {}, [&](const Edge& edge) { return graph.topological_index(edge.to); });
    edges.erase(std::ranges::unique(own).begin(), edges.end());
  }
  return edges;
}

// The rows of x before they are divided by the maxima, in double precision.
class RawFeatures {
 public:
  explicit RawFeatures(const Problem& problem)
      : problem_(problem), values_(problem.graph().num_ops() * kNumFeatures, 0.0) {
    for (std::size_t op = 0; op < problem.graph().num_ops(); ++op) {
      FillSizes(OpId(op));
      FillKind(OpId(op));
    }
  }

  void FillDegrees(std::span<const Edge> edges) {
    for (const Edge& edge : edges) {
      At(edge.from, kOutDegree) += 1.0;
      At(edge.to, kInDegree) += 1.0;
    }
  }

  // REQUIRES: `edges` sorted by the topological index of the producer.
  void FillPaths(std::span<const Edge> edges) {
    const auto num_ops = static_cast<double>(problem_.graph().num_ops());
    for (std::size_t i = 0; i < problem_.graph().num_ops(); ++i) {
      const double own_s = problem_.costs().MeanSeconds(OpId(i));
      At(OpId(i), kRank) = problem_.graph().topological_index(OpId(i)) / num_ops;
      At(OpId(i), kFromSources) = own_s;
      At(OpId(i), kToSinks) = own_s;
    }
    for (const Edge& edge : edges) {
      Lengthen(edge.to, kFromSources, At(edge.from, kFromSources));
    }
    for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
      Lengthen(edge->from, kToSinks, At(edge->to, kToSinks));
    }
  }

  // Each column divided by its maximum. The longest path is the maximum of both path columns, so
  // this also divides them by the critical path.
  [[nodiscard]] std::vector<float> Normalised() const {
    std::array<double, kNumFeatures> maximum{};
    for (std::size_t i = 0; i < values_.size(); ++i) {
      maximum[i % kNumFeatures] = std::max(maximum[i % kNumFeatures], values_[i]);
    }
    std::vector<float> x(values_.size(), 0.0F);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const double most = maximum[i % kNumFeatures];
      x[i] = most > 0.0 ? static_cast<float>(values_[i] / most) : 0.0F;
    }
    return x;
  }

 private:
  double& At(OpId op, std::size_t column) { return values_[op.index() * kNumFeatures + column]; }

  // The longest path through `op` with `before_s` seconds on the far side of an edge.
  void Lengthen(OpId op, std::size_t column, double before_s) {
    double& length_s = At(op, column);
    length_s = std::max(length_s, before_s + problem_.costs().MeanSeconds(op));
  }

  void FillSizes(OpId id) {
    const sim::OpGraph& graph = problem_.graph();
    const sim::Op& op = graph.op(id);
    double output_bytes = 0.0;
    for (std::size_t i = 0; i < graph.num_outputs(id); ++i) {
      output_bytes += static_cast<double>(graph.tensor(graph.output(id, i)).bytes.count);
    }
    At(id, kOutputBytes) = std::log1p(output_bytes);
    At(id, kParamBytes) = std::log1p(static_cast<double>(op.param_bytes.count));
    At(id, kWorkspaceBytes) = std::log1p(static_cast<double>(op.workspace_bytes.count));
    At(id, kFlops) = std::log1p(op.flops.count);
    At(id, kComputeTime) = std::log1p(problem_.costs().MeanSeconds(id) * 1e6);
    if (graph.num_outputs(id) > 0) {
      const auto shape = graph.shape(graph.output(id, 0));
      for (std::size_t dim = 0; dim < std::min(shape.size(), kMostDims); ++dim) {
        At(id, kShape + dim) = std::log1p(static_cast<double>(shape[dim]));
      }
    }
  }

  void FillKind(OpId id) {
    const sim::Op& op = problem_.graph().op(id);
    At(id, kFusionClass + static_cast<std::size_t>(op.fusion_class)) = 1.0;
    At(id, kIsColocated) = op.colocation.has_value() ? 1.0 : 0.0;
    At(id, kIsBackward) = op.phase == sim::Phase::kBackward ? 1.0 : 0.0;
    At(id, kIsUpdate) = op.phase == sim::Phase::kUpdate ? 1.0 : 0.0;
  }

  const Problem& problem_;
  std::vector<double> values_;  // [num_ops, kNumFeatures] row-major
};

std::vector<std::int64_t> EdgeIndex(std::span<const Edge> edges) {
  std::vector<std::int64_t> index(2 * edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    index[i] = edges[i].from.value;
    index[edges.size() + i] = edges[i].to.value;
  }
  return index;
}

std::vector<std::uint8_t> DeviceMask(const Problem& problem) {
  const std::size_t num_devices = problem.hardware().num_devices();
  const std::int32_t num_groups = problem.grouping().num_groups;
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(num_groups) * num_devices, 0);
  for (std::int32_t group = 0; group < num_groups; ++group) {
    for (const DeviceId device : problem.AllowedDevices(group)) {
      mask[static_cast<std::size_t>(group) * num_devices + device.index()] = 1;
    }
  }
  return mask;
}

// `values` filled up with zeros to `size`.
template <class T>
std::vector<T> Padded(const std::vector<T>& values, std::int64_t size) {
  std::vector<T> padded = values;
  padded.resize(static_cast<std::size_t>(size), T{0});
  return padded;
}

std::vector<std::uint8_t> MaskOf(std::int64_t used, std::int64_t size) {
  return Padded(std::vector<std::uint8_t>(static_cast<std::size_t>(used), 1), size);
}

void EnsureRoom(const std::string& what, std::int64_t needed, std::int64_t room) {
  if (needed > room) {
    throw InputError("max_" + what + ": found " + std::to_string(room) + ", but the graph has " +
                     std::to_string(needed) + " " + what);
  }
}

}  // namespace

Observation Observe(const Problem& problem) {
  const sim::OpGraph& graph = problem.graph();
  const std::vector<Edge> edges = DistinctEdges(graph);
  RawFeatures features(problem);
  features.FillDegrees(edges);
  features.FillPaths(edges);
  Observation observation{
      .num_ops = static_cast<std::int64_t>(graph.num_ops()),
      .num_edges = static_cast<std::int64_t>(edges.size()),
      .num_groups = problem.grouping().num_groups,
      .num_devices = static_cast<std::int64_t>(problem.hardware().num_devices()),
      .x = features.Normalised(),
      .edge_index = EdgeIndex(edges),
      .device_mask = DeviceMask(problem)};
  for (const sim::Op& op : graph.ops()) {
    observation.op_type.push_back(TypeHash(op.type));
  }
  for (const OpId op : graph.topological_order()) {
    observation.topological_order.push_back(op.value);
  }
  observation.group_id.assign(problem.grouping().group_of.begin(),
                              problem.grouping().group_of.end());
  return observation;
}

std::int64_t TypeHash(std::string_view type) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : type) {
    hash = (hash ^ static_cast<std::uint8_t>(letter)) * 0x100000001b3U;
  }
  return static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(kTypeVocabulary));
}

PaddedObservation Pad(const Observation& observation,
                      std::int64_t max_ops,
                      std::int64_t max_edges) {
  EnsureRoom("ops", observation.num_ops, max_ops);
  EnsureRoom("edges", observation.num_edges, max_edges);
  PaddedObservation padded{
      .max_ops = max_ops,
      .max_edges = max_edges,
      .op_type = Padded(observation.op_type, max_ops),
      .x = Padded(observation.x, max_ops * static_cast<std::int64_t>(kNumFeatures)),
      .edge_index = std::vector<std::int64_t>(static_cast<std::size_t>(2 * max_edges), 0),
      .topological_order = Padded(observation.topological_order, max_ops),
      .group_id = Padded(observation.group_id, max_ops),
      .op_mask = MaskOf(observation.num_ops, max_ops),
      .edge_mask = MaskOf(observation.num_edges, max_edges)};
  const auto consumers = observation.edge_index.begin() + observation.num_edges;
  std::copy(observation.edge_index.begin(), consumers, padded.edge_index.begin());
  std::copy(consumers, observation.edge_index.end(), padded.edge_index.begin() + max_edges);
  return padded;
}

std::size_t FlatSize(std::int64_t max_ops, std::int64_t max_edges, std::size_t action_mask_size) {
  return static_cast<std::size_t>(max_ops) * (kNumFeatures + 3) +
         static_cast<std::size_t>(max_edges) * 3 + action_mask_size;
}

std::vector<float> Flatten(const PaddedObservation& padded,
                           const std::vector<std::uint8_t>& action_mask) {
  std::vector<float> flat;
  flat.reserve(FlatSize(padded.max_ops, padded.max_edges, action_mask.size()));
  const auto room = static_cast<float>(padded.max_ops);
  for (std::size_t op = 0; op < padded.op_type.size(); ++op) {
    flat.push_back(static_cast<float>(padded.op_mask[op]));
    flat.push_back(static_cast<float>(padded.op_type[op]) / static_cast<float>(kTypeVocabulary));
    flat.push_back(static_cast<float>(padded.group_id[op]) / room);
    const auto row = padded.x.begin() + static_cast<std::ptrdiff_t>(op * kNumFeatures);
    flat.insert(flat.end(), row, row + kNumFeatures);
  }
  const std::size_t num_edges = padded.edge_mask.size();
  for (std::size_t edge = 0; edge < num_edges; ++edge) {
    flat.push_back(static_cast<float>(padded.edge_mask[edge]));
    flat.push_back(static_cast<float>(padded.edge_index[edge]) / room);
    flat.push_back(static_cast<float>(padded.edge_index[num_edges + edge]) / room);
  }
  flat.insert(flat.end(), action_mask.begin(), action_mask.end());
  return flat;
}

std::vector<float> NodeFeatures(const Observation& observation) {
  std::vector<float> nodes;
  nodes.reserve(observation.op_type.size() * kNumNodeFeatures);
  for (std::size_t op = 0; op < observation.op_type.size(); ++op) {
    nodes.push_back(static_cast<float>(observation.op_type[op]) /
                    static_cast<float>(kTypeVocabulary));
    nodes.push_back(static_cast<float>(observation.group_id[op]) /
                    static_cast<float>(observation.num_groups));
    const auto row = observation.x.begin() + static_cast<std::ptrdiff_t>(op * kNumFeatures);
    nodes.insert(nodes.end(), row, row + kNumFeatures);
  }
  return nodes;
}

}  // namespace opyard::env
