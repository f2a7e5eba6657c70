#include "sim/fusion/merge_rules.h"

#include <algorithm>

namespace opyard::sim {

void MergeRules::Reset(const FusionGraph& graph,
                       std::span<const DeviceId> placement,
                       std::span<const std::int32_t> region) {
  graph_ = &graph;
  device_.resize(graph.num_ops);
  region_.resize(region.size());
  for (std::size_t k = 0; k < region.size(); ++k) {
    region_[k] = region[graph.op_of[k].index()];
  }
  heavy_.resize(graph.num_ops);
  has_reduction_.resize(graph.num_ops);
  for (std::size_t k = 0; k < graph.num_ops; ++k) {
    device_[k] = placement[graph.op_of[k].index()];
    heavy_[k] = graph.roles[k] == FusionRole::kHeavy ? static_cast<std::int32_t>(k) : kNone;
    has_reduction_[k] = graph.roles[k] == FusionRole::kReduction ? 1 : 0;
  }
  is_behind_reduction_ = has_reduction_;
  is_ahead_of_reduction_ = has_reduction_;
  crossings_.reserve(graph.successors.size());
  marked_.reserve(graph.num_ops);
}

bool MergeRules::MayMerge(const ClusterSet& clusters, std::int32_t a, std::int32_t b) {
  if (device_[At(a)] != device_[At(b)] || (!region_.empty() && region_[At(a)] != region_[At(b)]) ||
      clusters.size(a) + clusters.size(b) > graph_->limits.max_ops) {
    return false;
  }
  if (heavy_[At(b)] != kNone &&
      (heavy_[At(a)] != kNone || FeedsHeavyOp(clusters, a, heavy_[At(b)]))) {
    return false;
  }
  if (has_reduction_[At(a)] == 0 || has_reduction_[At(b)] == 0) {
    return true;
  }
  // Edges between the two lead from `a` to `b` only, so a new path crosses once.
  FindCrossings(clusters, a, b);
  return std::ranges::none_of(crossings_, [&](const Crossing& crossing) {
    return is_behind_reduction_[At(crossing.from)] != 0 &&
           is_ahead_of_reduction_[At(crossing.to)] != 0;
  });
}

bool MergeRules::FeedsHeavyOp(const ClusterSet& clusters,
                              std::int32_t a,
                              std::int32_t heavy) const {
  return std::ranges::any_of(graph_->producers_of(heavy), [&](std::int32_t producer) {
    return clusters.cluster_of(producer) == a;
  });
}

// Reads the edges of the smaller cluster only.
void MergeRules::FindCrossings(const ClusterSet& clusters, std::int32_t a, std::int32_t b) {
  crossings_.clear();
  const bool looks_ahead = clusters.size(a) < clusters.size(b);
  clusters.AnyOp(looks_ahead ? a : b, [&](std::int32_t op) {
    for (const std::int32_t other :
         looks_ahead ? graph_->successors_of(op) : graph_->predecessors_of(op)) {
      if (clusters.cluster_of(other) == (looks_ahead ? b : a)) {
        crossings_.push_back(looks_ahead ? Crossing{.from = op, .to = other}
                                         : Crossing{.from = other, .to = op});
      }
    }
    return false;
  });
}

void MergeRules::Merge(const ClusterSet& clusters, std::int32_t a, std::int32_t b) {
  if (has_reduction_[At(a)] != 0 || has_reduction_[At(b)] != 0) {
    FindCrossings(clusters, a, b);
    for (const Crossing& crossing : crossings_) {
      if (is_behind_reduction_[At(crossing.from)] != 0) {
        MarkBehindReduction(clusters, crossing.to);
      }
      if (is_ahead_of_reduction_[At(crossing.to)] != 0) {
        MarkAheadOfReduction(clusters, crossing.from);
      }
    }
  }
  heavy_[At(a)] = heavy_[At(b)] = std::max(heavy_[At(a)], heavy_[At(b)]);
  has_reduction_[At(a)] = has_reduction_[At(b)] =
      std::max(has_reduction_[At(a)], has_reduction_[At(b)]);
}

void MergeRules::Derive(const ClusterSet& clusters, std::int32_t cluster) {
  clusters.AnyOp(cluster, [&](std::int32_t op) {
    heavy_[At(cluster)] = std::max(heavy_[At(cluster)], heavy_[At(op)]);
    has_reduction_[At(cluster)] = std::max(has_reduction_[At(cluster)], has_reduction_[At(op)]);
    return false;
  });
  if (has_reduction_[At(cluster)] == 0) {
    return;
  }
  clusters.AnyOp(cluster, [&](std::int32_t op) {
    if (graph_->roles[At(op)] == FusionRole::kReduction) {
      MarkAround(clusters, op);
    }
    return false;
  });
}

// What follows the reduction `op` in its cluster, and what it follows.
void MergeRules::MarkAround(const ClusterSet& clusters, std::int32_t op) {
  const std::int32_t cluster = clusters.cluster_of(op);
  for (const std::int32_t successor : graph_->successors_of(op)) {
    if (clusters.cluster_of(successor) == cluster) {
      MarkBehindReduction(clusters, successor);
    }
  }
  for (const std::int32_t predecessor : graph_->predecessors_of(op)) {
    if (clusters.cluster_of(predecessor) == cluster) {
      MarkAheadOfReduction(clusters, predecessor);
    }
  }
}

// And all that follow it in its cluster. Each op is marked once, so this is linear over all merges.
void MergeRules::MarkBehindReduction(const ClusterSet& clusters, std::int32_t op) {
  Mark(op, is_behind_reduction_);
  while (!marked_.empty()) {
    const std::int32_t next = marked_.back();
    marked_.pop_back();
    for (const std::int32_t successor : graph_->successors_of(next)) {
      if (clusters.cluster_of(successor) == clusters.cluster_of(op)) {
        Mark(successor, is_behind_reduction_);
      }
    }
  }
}

void MergeRules::MarkAheadOfReduction(const ClusterSet& clusters, std::int32_t op) {
  Mark(op, is_ahead_of_reduction_);
  while (!marked_.empty()) {
    const std::int32_t next = marked_.back();
    marked_.pop_back();
    for (const std::int32_t predecessor : graph_->predecessors_of(next)) {
      if (clusters.cluster_of(predecessor) == clusters.cluster_of(op)) {
        Mark(predecessor, is_ahead_of_reduction_);
      }
    }
  }
}

void MergeRules::Mark(std::int32_t op, std::vector<std::uint8_t>& marks) {
  if (marks[At(op)] == 0) {
    marks[At(op)] = 1;
    marked_.push_back(op);
  }
}

}  // namespace opyard::sim
