#include "sim/fusion/path_search.h"

namespace opyard::sim {

void PathSearch::Reset(const FusionGraph& graph) {
  graph_ = &graph;
  forward_.found.resize(graph.num_ops);
  backward_.found.resize(graph.num_ops);
  stamps_.assign(graph.num_ops, 0);
  found_from_.resize(graph.num_ops);
  last_stamp_ = 0;
}

void PathSearch::Begin(std::int32_t start, std::int32_t size, Side& side) {
  side.found[0] = start;
  side.num_found = 1;
  side.num_expanded = 0;
  side.work = size;
  side.stamp = ++last_stamp_;
  side.start = start;
  stamps_[At(start)] = side.stamp;
}

bool PathSearch::WaitsForNothingBut(const ClusterSet& clusters,
                                    std::int32_t cluster,
                                    std::int32_t op) const {
  return std::ranges::all_of(graph_->predecessors_of(op), [&](std::int32_t predecessor) {
    return clusters.cluster_of(predecessor) == cluster;
  });
}

void PathSearch::AddPath(std::vector<std::int32_t>& clusters) const {
  AddWayBack(met_from_, clusters);
  AddWayBack(met_, clusters);
}

void PathSearch::AddWayBack(std::int32_t cluster, std::vector<std::int32_t>& clusters) const {
  while (cluster != forward_.start && cluster != backward_.start) {
    clusters.push_back(cluster);
    cluster = found_from_[At(cluster)];
  }
}

}  // namespace opyard::sim
