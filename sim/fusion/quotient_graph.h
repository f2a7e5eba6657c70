// The graph of clusters that fusion contracts step by step, kept free of cycles.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/fusion/cluster_order.h"
#include "sim/fusion/cluster_set.h"
#include "sim/fusion/fusion_graph.h"

namespace opyard::sim {

// Clusters, joined by the data and control edges between their ops, in a topological order that is
// mended at each contraction. A path from a to b runs through clusters between the two in that
// order only, so the search for one is local. Searches forward from a and backward from b go on in
// turns until they meet or one is exhausted. What that one has found then moves out of the way.
//
// Two-way search: Haeupler, Kavitha, Mathew, Sen, Tarjan 2012, "Incremental cycle detection,
// topological ordering, and strong component maintenance", section 3. Deviations: clusters merge
// where they insert an edge, and the turns are counted in edges, without the choice of a soft
// threshold.
class QuotientGraph {
 public:
  // Every op of `graph`, which must outlive the use until the next Reset, is a cluster of its own.
  void Reset(const FusionGraph& graph);

  [[nodiscard]] const ClusterSet& clusters() const { return clusters_; }
  // Clusters in topological order.
  [[nodiscard]] const ClusterOrder& order() const { return order_; }

  // A cluster other than `a` and `b` that lies on a path from `a` to `b`, if there is any.
  // REQUIRES: an edge leads from `a` to `b`.
  [[nodiscard]] std::optional<std::int32_t> FindDetour(std::int32_t a, std::int32_t b);

  // Makes one cluster of `a` and `b` and returns its index, which is one of the two.
  // REQUIRES: FindDetour(a, b) has just found none.
  std::int32_t Contract(std::int32_t a, std::int32_t b);

 private:
  // One direction of a search.
  struct Side {
    std::vector<std::int32_t>
        found;  // [num_ops] clusters, by when they were found; first the start
    std::size_t num_found = 0;
    std::size_t num_expanded = 0;
    std::int64_t work = 0;    // edges visited
    std::uint32_t stamp = 0;  // of what this side has found in this search
    std::int32_t start = 0;

    [[nodiscard]] bool is_exhausted() const { return num_expanded == num_found; }
    // The clusters that were found beside the start.
    [[nodiscard]] std::span<std::int32_t> others() {
      return std::span(found).subspan(1, num_found - 1);
    }
  };

  [[nodiscard]] bool WaitsForNothingBut(std::int32_t cluster, std::int32_t op) const;
  void Begin(std::int32_t start, Side& side);
  // Follows the edges of the next cluster that `side` has found and not yet expanded. Returns a
  // cluster on a path between the two starts, if that shows one.
  template <bool kIsForward>
  [[nodiscard]] std::optional<std::int32_t> Expand(Side& side, const Side& other);

  const FusionGraph* graph_ = nullptr;
  ClusterSet clusters_;
  ClusterOrder order_;
  Side forward_;
  Side backward_;
  std::vector<std::uint32_t> stamps_;  // by cluster: of the side that found it last
  std::uint32_t last_stamp_ = 0;
};

}  // namespace opyard::sim
