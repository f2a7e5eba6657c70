// The graph of clusters that fusion contracts step by step, kept free of cycles.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/fusion/cluster_order.h"
#include "sim/fusion/cluster_set.h"
#include "sim/fusion/fusion_graph.h"
#include "sim/fusion/path_search.h"

namespace opyard::sim {

// Clusters, joined by the data and control edges between their ops, in a topological order that is
// mended at each contraction. A path from a to b runs through clusters between the two in that
// order only, so the search for one is local. What the side of the search that was exhausted has
// found then moves out of the way.
class QuotientGraph {
 public:
  // Every op of `graph`, which must outlive the use until the next Reset, is a cluster of its own.
  void Reset(const FusionGraph& graph);
  // The same, but where JoinAll is called for some ops. `order` is a topological one of the
  // clusters that come of it: the first of those ops, and the ops that remain alone.
  void Reset(const FusionGraph& graph, std::span<const std::int32_t> order);
  // Makes one cluster of `ops`. REQUIRES: right after Reset.
  void JoinAll(std::span<const std::int32_t> ops) { clusters_.JoinAll(ops); }
  // Divides the cluster of `ops`, which are all of it, into their clusters in `parts`. `order` is a
  // topological one of these.
  void Split(std::span<const std::int32_t> ops,
             const ClusterSet& parts,
             std::span<const std::int32_t> order);

  [[nodiscard]] const ClusterSet& clusters() const { return clusters_; }
  // Clusters in topological order.
  [[nodiscard]] const ClusterOrder& order() const { return order_; }

  // A cluster other than `a` and `b` that lies on a path from `a` to `b`, if there is any.
  // REQUIRES: an edge leads from `a` to `b`.
  [[nodiscard]] std::optional<std::int32_t> FindDetour(std::int32_t a, std::int32_t b);
  // Adds the clusters on the path that FindDetour has just found, `a` and `b` left out.
  void AddPath(std::vector<std::int32_t>& clusters) const { search_.AddPath(clusters); }

  // Makes one cluster of `a` and `b` and returns its index, which is one of the two.
  // REQUIRES: FindDetour(a, b) has just found none.
  std::int32_t Contract(std::int32_t a, std::int32_t b);

 private:
  ClusterSet clusters_;
  ClusterOrder order_;
  PathSearch search_;
};

}  // namespace opyard::sim
