#include "sim/fusion/quotient_graph.h"

namespace opyard::sim {

void QuotientGraph::Reset(const FusionGraph& graph) {
  clusters_.Reset(graph.num_ops);
  order_.Reset(graph.num_ops);
  search_.Reset(graph);
}

void QuotientGraph::Reset(const FusionGraph& graph, std::span<const std::int32_t> order) {
  clusters_.Reset(graph.num_ops);
  order_.Reset(graph.num_ops, order);
  search_.Reset(graph);
}

void QuotientGraph::Split(std::span<const std::int32_t> ops,
                          const ClusterSet& parts,
                          std::span<const std::int32_t> order) {
  order_.ReplaceByAll(clusters_.cluster_of(ops.front()), order);
  for (const std::int32_t op : ops) {
    clusters_.CopyFrom(parts, op);
  }
}

std::optional<std::int32_t> QuotientGraph::FindDetour(std::int32_t a, std::int32_t b) {
  return search_.FindDetour(
      clusters_, a, b, [&](std::int32_t cluster) { return order_.label(cluster); });
}

std::int32_t QuotientGraph::Contract(std::int32_t a, std::int32_t b) {
  const bool moves_found_behind = search_.is_forward_exhausted();
  const std::int32_t place = moves_found_behind ? b : a;
  const std::int32_t joint = clusters_.Join(a, b);
  if (joint == place) {
    order_.Remove(a + b - joint);
  } else {
    order_.Replace(place, joint);
  }
  if (moves_found_behind) {
    order_.MoveBehind(joint, search_.found_behind());
  } else {
    order_.MoveBefore(joint, search_.found_before());
  }
  return joint;
}

}  // namespace opyard::sim
