// Rules on which two clusters may become one kernel, from the two clusters alone; QuotientGraph
// covers the clusters around them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/ids.h"
#include "sim/fusion/cluster_set.h"
#include "sim/fusion/fusion_graph.h"

namespace opyard::sim {

// The heavy ops and reductions of each cluster. A merge that is refused once is refused for good:
// clusters only grow.
class MergeRules {
 public:
  // Every op of `graph`, which must outlive the use until the next Reset, is a cluster of its own.
  // `placement` and `region`, which may be empty, are by OpId.
  void Reset(const FusionGraph& graph,
             std::span<const DeviceId> placement,
             std::span<const std::int32_t> region);

  [[nodiscard]] DeviceId device_of(std::int32_t op) const { return device_[At(op)]; }

  // True if one kernel may hold both: one device, one region, no more than max_ops ops, at most one
  // heavy op and that without a producer inside, no path with two reductions. REQUIRES: an edge
  // leads from `a` to `b`, no op of them is opaque.
  [[nodiscard]] bool MayMerge(const ClusterSet& clusters, std::int32_t a, std::int32_t b);

  // Before `a` and `b` are joined: from now on both names stand for what the two hold together.
  // REQUIRES: MayMerge(clusters, a, b).
  void Merge(const ClusterSet& clusters, std::int32_t a, std::int32_t b);

  // Does what all Merge calls would have done from which `cluster` came. REQUIRES: none was called.
  void Derive(const ClusterSet& clusters, std::int32_t cluster);

 private:
  static constexpr std::int32_t kNone = -1;
  // An edge between two clusters.
  struct Crossing {
    std::int32_t from = 0;
    std::int32_t to = 0;
  };

  [[nodiscard]] bool FeedsHeavyOp(const ClusterSet& clusters,
                                  std::int32_t a,
                                  std::int32_t heavy) const;
  void FindCrossings(const ClusterSet& clusters, std::int32_t a, std::int32_t b);
  void MarkAround(const ClusterSet& clusters, std::int32_t op);
  void MarkBehindReduction(const ClusterSet& clusters, std::int32_t op);
  void MarkAheadOfReduction(const ClusterSet& clusters, std::int32_t op);
  void Mark(std::int32_t op, std::vector<std::uint8_t>& marks);

  const FusionGraph* graph_ = nullptr;
  std::vector<DeviceId> device_;             // by op
  std::vector<std::int32_t> region_;         // by op; empty: all are of one
  std::vector<std::int32_t> heavy_;          // by cluster: its heavy op, or kNone
  std::vector<std::uint8_t> has_reduction_;  // by cluster
  // By op: it is a reduction, or a path inside its cluster leads to it from one, or from it to one.
  std::vector<std::uint8_t> is_behind_reduction_;
  std::vector<std::uint8_t> is_ahead_of_reduction_;
  std::vector<Crossing> crossings_;
  std::vector<std::int32_t> marked_;  // ops whose neighbours are still to be visited
};

}  // namespace opyard::sim
