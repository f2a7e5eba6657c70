#include "sim/fusion/replayed_clusters.h"

#include "sim/base/check.h"

namespace opyard::sim {

void ReplayedClusters::Reset(const FusionGraph& graph,
                             const Kernels& kernels,
                             std::span<const std::int32_t> dirty) {
  graph_ = &graph;
  kernels_ = &kernels;
  now_.Reset(graph.num_ops);
  search_.Reset(graph);
  num_waiting_.resize(graph.num_ops);
  is_dirty_.reserve(graph.num_ops);
  for (std::vector<std::int32_t>* list : {&dirty_, &order_, &parts_, &path_}) {
    list->reserve(graph.num_ops);
  }
  dirty_.assign(dirty.begin(), dirty.end());
  is_dirty_.assign(kernels.num_kernels, 0);
  for (const std::int32_t kernel : dirty) {
    is_dirty_[At(kernel)] = 1;
  }
  order_.clear();
  for (const std::int32_t kernel : kernels.topological_order) {
    const auto ops = kernels.ops_of(At(kernel));
    const auto listed = is_dirty_[At(kernel)] != 0 ? ops : ops.first(1);
    order_.insert(order_.end(), listed.begin(), listed.end());
  }
  later_.Reset(graph, order_);
  for (std::size_t kernel = 0; kernel < kernels.num_kernels; ++kernel) {
    if (is_dirty_[kernel] == 0) {
      later_.JoinAll(kernels.ops_of(kernel));
    }
  }
}

// What is no path later is none now, unless it leads through other parts of the two kernels. No
// path between two parts of a clean kernel leaves it: it would be a cycle later.
std::optional<std::int32_t> ReplayedClusters::FindDetour(std::int32_t a, std::int32_t b) {
  is_free_later_ = Later(a) != Later(b) && !later_.FindDetour(Later(a), Later(b)).has_value();
  if (is_free_later_ && IsComplete(a) && IsComplete(b)) {
    return std::nullopt;
  }
  return search_.FindDetour(
      now_, a, b, [&](std::int32_t cluster) { return later_.order().label(Later(cluster)); });
}

void ReplayedClusters::Contract(std::int32_t a, std::int32_t b) {
  if (Later(a) != Later(b)) {
    const bool has_split_a = MakeDirty(a);
    const bool has_split_b = MakeDirty(b);
    if (!is_free_later_ || has_split_a || has_split_b) {
      while (later_.FindDetour(Later(a), Later(b)).has_value()) {
        path_.clear();
        later_.AddPath(path_);
        bool has_split = false;
        for (const std::int32_t cluster : path_) {
          has_split = MakeDirty(cluster) || has_split;
        }
        OPYARD_CHECK(has_split, "two clusters are merged around a path");
      }
    }
    later_.Contract(Later(a), Later(b));
  }
  now_.Join(a, b);
}

bool ReplayedClusters::MakeDirty(std::int32_t op) {
  const std::size_t kernel = KernelOf(op);
  if (is_dirty_[kernel] != 0) {
    return false;
  }
  is_dirty_[kernel] = 1;
  dirty_.push_back(static_cast<std::int32_t>(kernel));
  const auto ops = kernels_->ops_of(kernel);
  OrderParts(ops);
  later_.Split(ops, now_, parts_);
  return true;
}

// Lists the clusters that `kernel` consists of now.
void ReplayedClusters::OrderParts(std::span<const std::int32_t> kernel) {
  const std::size_t number = KernelOf(kernel.front());
  for (const std::int32_t op : kernel) {
    num_waiting_[At(op)] = 0;
  }
  const auto is_part = [&](std::int32_t op) { return now_.cluster_of(op) == op; };
  for (const std::int32_t op : kernel) {
    if (is_part(op)) {
      ForEachFollower(op, number, [&](std::int32_t follower) { ++num_waiting_[At(follower)]; });
    }
  }
  parts_.clear();
  for (const std::int32_t op : kernel) {
    if (is_part(op) && num_waiting_[At(op)] == 0) {
      parts_.push_back(op);
    }
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    ForEachFollower(parts_[i], number, [&](std::int32_t follower) {
      if (--num_waiting_[At(follower)] == 0) {
        parts_.push_back(follower);
      }
    });
  }
}

// Visits the parts of `kernel` to which edges lead from `part`, once an edge.
template <class Visit>
void ReplayedClusters::ForEachFollower(std::int32_t part,
                                       std::size_t kernel,
                                       const Visit& visit) const {
  now_.AnyOp(part, [&](std::int32_t op) {
    for (const std::int32_t next : graph_->successors_of(op)) {
      if (KernelOf(next) == kernel && now_.cluster_of(next) != part) {
        visit(now_.cluster_of(next));
      }
    }
    return false;
  });
}

}  // namespace opyard::sim
