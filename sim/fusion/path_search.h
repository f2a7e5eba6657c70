// Searches for paths between two clusters that lead through others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/base/array_index.h"
#include "sim/fusion/cluster_set.h"
#include "sim/fusion/fusion_graph.h"

namespace opyard::sim {

// Clusters are joined by the data and control edges between their ops. Searches forward from a and
// backward from b go on in turns until they meet or one is exhausted.
//
// Two-way search: Haeupler, Kavitha, Mathew, Sen, Tarjan 2012, "Incremental cycle detection,
// topological ordering, and strong component maintenance", section 3. Deviations: clusters merge
// where they insert an edge, and the turns are counted in edges, without the choice of a soft
// threshold.
class PathSearch {
 public:
  // For clusters of the ops of `graph`, which must outlive the use until the next Reset.
  void Reset(const FusionGraph& graph);

  // A cluster other than `a` and `b` that lies on a path from `a` to `b`, if there is any.
  // `place_of(cluster)` never descends along an edge between clusters, which bounds the search.
  // REQUIRES: an edge leads from `a` to `b`.
  template <class PlaceOf>
  [[nodiscard]] std::optional<std::int32_t> FindDetour(const ClusterSet& clusters,
                                                       std::int32_t a,
                                                       std::int32_t b,
                                                       const PlaceOf& place_of);

  // After a search that found no path: whether it had seen all that `a` leads to up to the place of
  // `b`, or else all that leads to `b` from the place of `a` on; and what that is, `a` and `b` left
  // out.
  [[nodiscard]] bool is_forward_exhausted() const { return forward_.is_exhausted(); }
  [[nodiscard]] std::span<std::int32_t> found_behind() { return forward_.others(); }
  [[nodiscard]] std::span<std::int32_t> found_before() { return backward_.others(); }

  // After a search that found a path: adds the clusters on it, `a` and `b` left out.
  void AddPath(std::vector<std::int32_t>& clusters) const;

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

  [[nodiscard]] bool WaitsForNothingBut(const ClusterSet& clusters,
                                        std::int32_t cluster,
                                        std::int32_t op) const;
  void Begin(std::int32_t start, std::int32_t size, Side& side);
  // Follows the edges of the next cluster that `side` has found and not yet expanded. Returns a
  // cluster on a path between the two starts, if that shows one.
  template <bool kIsForward, class PlaceOf>
  [[nodiscard]] std::optional<std::int32_t> Expand(const ClusterSet& clusters,
                                                   const PlaceOf& place_of,
                                                   Side& side,
                                                   const Side& other);
  void AddWayBack(std::int32_t cluster, std::vector<std::int32_t>& clusters) const;

  const FusionGraph* graph_ = nullptr;
  Side forward_;
  Side backward_;
  std::vector<std::uint32_t> stamps_;     // by cluster: of the side that found it last
  std::vector<std::int32_t> found_from_;  // by cluster: the cluster from which that was
  std::int32_t met_from_ = 0;             // the two clusters between which the sides have met
  std::int32_t met_ = 0;
  std::uint32_t last_stamp_ = 0;
};

template <class PlaceOf>
std::optional<std::int32_t> PathSearch::FindDetour(const ClusterSet& clusters,
                                                   std::int32_t a,
                                                   std::int32_t b,
                                                   const PlaceOf& place_of) {
  Begin(a, clusters.size(a), forward_);
  Begin(b, clusters.size(b), backward_);
  // Most often an op is pulled in that waits for nothing else.
  if (clusters.size(b) == 1 && WaitsForNothingBut(clusters, a, b)) {
    backward_.num_expanded = 1;
    return std::nullopt;
  }
  std::optional<std::int32_t> detour;
  while (!detour.has_value() && !forward_.is_exhausted() && !backward_.is_exhausted()) {
    detour = forward_.work < backward_.work
                 ? Expand<true>(clusters, place_of, forward_, backward_)
                 : Expand<false>(clusters, place_of, backward_, forward_);
  }
  return detour;
}

template <bool kIsForward, class PlaceOf>
std::optional<std::int32_t> PathSearch::Expand(const ClusterSet& clusters,
                                               const PlaceOf& place_of,
                                               Side& side,
                                               const Side& other) {
  const std::int32_t cluster = side.found[side.num_expanded++];
  const auto limit = place_of(other.start);
  std::optional<std::int32_t> detour;
  clusters.AnyOp(cluster, [&](std::int32_t op) {
    const auto neighbours = kIsForward ? graph_->successors_of(op) : graph_->predecessors_of(op);
    side.work += static_cast<std::int64_t>(neighbours.size());
    for (const std::int32_t neighbour : neighbours) {
      const std::int32_t next = clusters.cluster_of(neighbour);
      const std::uint32_t stamp = stamps_[At(next)];
      if (next == cluster || stamp == side.stamp) {
        continue;
      }
      if (stamp == other.stamp) {
        if (cluster == side.start && next == other.start) {
          continue;  // the edge that is to be contracted
        }
        met_from_ = cluster;
        met_ = next;
        detour = next == other.start ? cluster : next;
        return true;
      }
      const auto place = place_of(next);
      if (kIsForward ? place <= limit : place >= limit) {
        stamps_[At(next)] = side.stamp;
        found_from_[At(next)] = cluster;
        side.found[side.num_found++] = next;
      }
    }
    return false;
  });
  return detour;
}

}  // namespace opyard::sim
