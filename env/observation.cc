#include "env/observation.h"

#include <span>

#include "env/features/device_features.h"
#include "env/features/edge_features.h"
#include "env/features/edges.h"
#include "env/features/feature_scales.h"
#include "env/features/op_features.h"
#include "env/features/pair_features.h"

namespace opyard::env {
namespace {

// [2, E]: the producers of all edges, then the consumers.
std::vector<std::int64_t> EdgeIndex(std::span<const Edge> edges) {
  std::vector<std::int64_t> index(2 * edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    index[i] = edges[i].from.value;
    index[edges.size() + i] = edges[i].to.value;
  }
  return index;
}

// [G, D]: 1 where the group may be placed on the device.
std::vector<std::uint8_t> DeviceMask(const Problem& problem) {
  const std::size_t num_devices = problem.hardware().num_devices();
  const std::int32_t num_groups = problem.grouping().num_groups;
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(num_groups) * num_devices, 0);
  for (std::int32_t group = 0; group < num_groups; ++group) {
    for (const DeviceId device : problem.AllowedDevices(GroupId(group))) {
      mask[static_cast<std::size_t>(group) * num_devices + device.index()] = 1;
    }
  }
  return mask;
}

}  // namespace

Observation Observe(const Problem& problem) {
  const sim::OpGraph& graph = problem.graph();
  const std::vector<Edge> edges = DistinctEdges(graph);
  // Sums and means over the whole problem, which features are ratios to.
  const FeatureScales scales = ComputeFeatureScales(problem);
  Observation observation{
      .num_ops = static_cast<std::int64_t>(graph.num_ops()),
      .num_edges = static_cast<std::int64_t>(edges.size()),
      .num_groups = problem.grouping().num_groups,
      .num_devices = static_cast<std::int64_t>(problem.hardware().num_devices()),
      .x = OpFeatures(problem, edges, scales),
      .edge_index = EdgeIndex(edges),
      .edge_x = EdgeFeatures(edges, scales),
      .device_x = DeviceFeatures(problem, scales),
      // Features of the ordered pairs of devices: the route from one to the other.
      .pair_x = PairFeatures(problem, scales),
      .device_mask = DeviceMask(problem)};
  for (const sim::Op& op : graph.ops()) {
    observation.op_type.push_back(OpTypeHash(op.type));
  }
  for (const OpId op : graph.topological_order()) {
    observation.topological_order.push_back(op.value);
  }
  observation.group_id.assign(problem.grouping().group_of.begin(),
                              problem.grouping().group_of.end());
  return observation;
}

std::int64_t OpTypeHash(std::string_view type) {
  // FNV-1a: offset basis and prime of 64 bits. Products wrap around, as it defines them.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : type) {
    hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3U;
  }
  return static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(kTypeVocabulary));
}

std::vector<float> NodeFeatures(const Observation& observation) {
  std::vector<float> nodes;
  nodes.reserve(observation.op_type.size() * kNumNodeFeatures);
  for (std::size_t op = 0; op < observation.op_type.size(); ++op) {
    // Bucket and group as fractions, so that they lie in [0, 1) as the features do.
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
