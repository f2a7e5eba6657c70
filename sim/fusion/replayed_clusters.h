// The graph of clusters while a fusion is repeated.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/fusion/cluster_order.h"
#include "sim/fusion/cluster_set.h"
#include "sim/fusion/fusion_graph.h"
#include "sim/fusion/kernels.h"
#include "sim/fusion/path_search.h"
#include "sim/fusion/quotient_graph.h"

namespace opyard::sim {

// Kernels of an earlier fusion are clean as long as their ops are merged as they were then, and
// dirty after. The graph is kept twice: as it is now, and later, with each clean kernel as the one
// cluster that it will be. The latter is kept free of cycles, in a topological order that bounds
// the searches in both.
class ReplayedClusters {
 public:
  // Every op is a cluster of its own. All of `kernels`, which must outlive the use until the next
  // Reset, are clean but `dirty`.
  void Reset(const FusionGraph& graph, const Kernels& kernels, std::span<const std::int32_t> dirty);

  // Now.
  [[nodiscard]] const ClusterSet& clusters() const { return now_; }
  // Later, in topological order.
  [[nodiscard]] const ClusterOrder& order() const { return later_.order(); }
  // The dirty kernels, by when they became so.
  [[nodiscard]] const std::vector<std::int32_t>& dirty() const { return dirty_; }
  [[nodiscard]] bool IsDirty(std::int32_t op) const { return is_dirty_[KernelOf(op)] != 0; }

  // As QuotientGraph has them. Contract makes kernels dirty that do not come out as they were:
  // those of `a` and `b`, if they are two, and those that would lie on a cycle.
  [[nodiscard]] std::optional<std::int32_t> FindDetour(std::int32_t a, std::int32_t b);
  void AddPath(std::vector<std::int32_t>& clusters) const { search_.AddPath(clusters); }
  void Contract(std::int32_t a, std::int32_t b);

  // Makes one cluster of two parts of a clean kernel.
  void JoinParts(std::int32_t a, std::int32_t b) { now_.Join(a, b); }

 private:
  [[nodiscard]] std::size_t KernelOf(std::int32_t op) const {
    return At(kernels_->kernel_of[At(op)]);
  }
  [[nodiscard]] std::int32_t Later(std::int32_t cluster) const {
    return later_.clusters().cluster_of(cluster);
  }
  // Whether it has all ops that it will have later.
  [[nodiscard]] bool IsComplete(std::int32_t cluster) const {
    return now_.size(cluster) == later_.clusters().size(Later(cluster));
  }
  // Whether its kernel was clean.
  bool MakeDirty(std::int32_t op);
  void OrderParts(std::span<const std::int32_t> kernel);
  template <class Visit>
  void ForEachFollower(std::int32_t part, std::size_t kernel, const Visit& visit) const;

  const FusionGraph* graph_ = nullptr;
  const Kernels* kernels_ = nullptr;
  ClusterSet now_;
  PathSearch search_;  // now
  QuotientGraph later_;
  bool is_free_later_ = false;          // the last search found no detour there
  std::vector<std::uint8_t> is_dirty_;  // by kernel
  std::vector<std::int32_t> dirty_;
  std::vector<std::int32_t> order_;        // of clusters
  std::vector<std::int32_t> parts_;        // of a kernel, in topological order
  std::vector<std::int32_t> num_waiting_;  // by cluster: edges to it from other parts
  std::vector<std::int32_t> path_;
};

}  // namespace opyard::sim
