#include "tests/support/reference_fuser.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>

#include "tests/support/reference_copies.h"

namespace opyard::testing {
namespace {

using sim::FusionClass;

class ReferenceFuser {
 public:
  ReferenceFuser(const sim::OpGraph& graph,
                 const sim::FusionLimits& limits,
                 std::span<const DeviceId> placement,
                 std::span<const std::int32_t> priority,
                 std::span<const std::int32_t> region)
      : graph_(graph),
        limits_(limits),
        placement_(placement),
        priority_(priority),
        region_(region),
        indices_(TopologicalIndices(graph)) {
    for (std::size_t i = 0; i < graph.num_ops(); ++i) {
      cluster_of_[OpId(i)] = OpSet{OpId(i)};
      depth_.push_back(DepthOf(OpId(i)));
    }
  }

  std::vector<OpSet> Fuse() {
    std::set<std::tuple<std::int32_t, std::int32_t, OpId>> visits;
    for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
      if (priority_[i] > 0) {
        visits.insert({-priority_[i], indices_[i], OpId(i)});
      }
    }
    for (const auto& [priority, index, op] : visits) {
      while (const std::optional<OpId> consumer = BestConsumer(op)) {
        OpSet merged = Union(op, *consumer);
        for (const OpId member : merged) {
          cluster_of_[member] = merged;
        }
      }
    }
    return InOrder();
  }

 private:
  [[nodiscard]] OpSet PredecessorsOf(OpId op) const {
    OpSet predecessors = ProducersFor(op);
    predecessors.insert(graph_.control_inputs(op).begin(), graph_.control_inputs(op).end());
    return predecessors;
  }

  [[nodiscard]] OpSet ProducersFor(OpId op) const {
    OpSet producers;
    for (const TensorId input : graph_.inputs(op)) {
      producers.insert(graph_.tensor(input).producer);
    }
    return producers;
  }

  [[nodiscard]] OpSet SuccessorsOf(OpId op) const {
    OpSet successors(graph_.control_consumers(op).begin(), graph_.control_consumers(op).end());
    for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
      const auto consumers = graph_.consumers(graph_.output(op, i));
      successors.insert(consumers.begin(), consumers.end());
    }
    return successors;
  }

  // The longest path from a source, in edges.
  [[nodiscard]] std::int32_t DepthOf(OpId op) {
    if (const auto known = known_depths_.find(op); known != known_depths_.end()) {
      return known->second;
    }
    std::int32_t depth = 0;
    for (const OpId before : PredecessorsOf(op)) {
      depth = std::max(depth, DepthOf(before) + 1);
    }
    known_depths_[op] = depth;
    return depth;
  }

  [[nodiscard]] std::int64_t EdgeBytes(OpId op, OpId consumer) const {
    std::set<TensorId> read(graph_.inputs(consumer).begin(), graph_.inputs(consumer).end());
    std::int64_t bytes = 0;
    for (const TensorId tensor : read) {
      bytes += graph_.tensor(tensor).producer == op ? graph_.tensor(tensor).bytes.count : 0;
    }
    return bytes;
  }

  [[nodiscard]] OpSet Union(OpId u, OpId v) const {
    OpSet both = cluster_of_.at(u);
    both.insert(cluster_of_.at(v).begin(), cluster_of_.at(v).end());
    return both;
  }

  [[nodiscard]] std::optional<OpId> BestConsumer(OpId op) const {
    std::set<std::tuple<std::int32_t, std::int64_t, std::int32_t, OpId>> legal;
    for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
      for (const OpId v : graph_.consumers(graph_.output(op, i))) {
        if (!cluster_of_.at(op).contains(v) && priority_[v.index()] > 0 && IsLegal(op, v)) {
          legal.insert({-priority_[v.index()], -EdgeBytes(op, v), indices_[v.index()], v});
        }
      }
    }
    return legal.empty() ? std::nullopt : std::optional(std::get<OpId>(*legal.begin()));
  }

  [[nodiscard]] bool IsLegal(OpId u, OpId v) const {
    const OpSet both = Union(u, v);
    return IsOnOneDevice(both) && IsInOneRegion(both) && IsFusible(both) &&
           HeavyOpStandsFirst(both) && !HasPathWithTwoReductions(both) &&
           both.size() <= static_cast<std::size_t>(limits_.max_ops) &&
           std::abs(depth_[u.index()] - depth_[v.index()]) <= limits_.max_depth_span &&
           !HasWayAround(cluster_of_.at(u), cluster_of_.at(v));
  }

  [[nodiscard]] FusionClass ClassOf(OpId op) const { return graph_.op(op).fusion_class; }

  [[nodiscard]] bool IsOnOneDevice(const OpSet& ops) const {
    std::set<DeviceId> devices;
    for (const OpId op : ops) {
      devices.insert(placement_[op.index()]);
    }
    return devices.size() == 1;
  }

  [[nodiscard]] bool IsInOneRegion(const OpSet& ops) const {
    std::set<std::int32_t> regions;
    for (const OpId op : ops) {
      regions.insert(region_.empty() ? 0 : region_[op.index()]);
    }
    return regions.size() == 1;
  }

  [[nodiscard]] bool IsFusible(const OpSet& ops) const {
    return std::ranges::none_of(ops, [&](OpId op) { return ClassOf(op) == FusionClass::kOpaque; });
  }

  // At most one heavy op, and none that makes what it reads.
  [[nodiscard]] bool HeavyOpStandsFirst(const OpSet& ops) const {
    int num_heavy = 0;
    for (const OpId op : ops) {
      if (ClassOf(op) == FusionClass::kHeavy) {
        ++num_heavy;
        for (const OpId producer : ProducersFor(op)) {
          if (ops.contains(producer)) {
            return false;
          }
        }
      }
    }
    return num_heavy <= 1;
  }

  [[nodiscard]] bool HasPathWithTwoReductions(const OpSet& ops) const {
    for (const OpId op : ops) {
      if (ClassOf(op) == FusionClass::kReduction && MeetsReductionBehind(op, ops)) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool MeetsReductionBehind(OpId op, const OpSet& ops) const {
    return std::ranges::any_of(SuccessorsOf(op), [&](OpId next) {
      return ops.contains(next) &&
             (ClassOf(next) == FusionClass::kReduction || MeetsReductionBehind(next, ops));
    });
  }

  // True if a path from one cluster to the other runs through a third.
  [[nodiscard]] bool HasWayAround(const OpSet& from, const OpSet& to) const {
    std::set<OpSet> seen;
    std::vector<OpSet> open;
    for (const OpSet& next : NeighboursOf(from)) {
      if (next != to && seen.insert(next).second) {
        open.push_back(next);
      }
    }
    while (!open.empty()) {
      const OpSet cluster = open.back();
      open.pop_back();
      for (const OpSet& next : NeighboursOf(cluster)) {
        if (next == to) {
          return true;
        }
        if (seen.insert(next).second) {
          open.push_back(next);
        }
      }
    }
    return false;
  }

  // The clusters that edges from `cluster` lead to.
  [[nodiscard]] std::set<OpSet> NeighboursOf(const OpSet& cluster) const {
    std::set<OpSet> neighbours;
    for (const OpId op : cluster) {
      for (const OpId next : SuccessorsOf(op)) {
        neighbours.insert(cluster_of_.at(next));
      }
    }
    neighbours.erase(cluster);
    return neighbours;
  }

  [[nodiscard]] std::vector<OpSet> InOrder() const {
    std::map<std::int32_t, OpSet> by_least_index;
    for (const auto& [op, cluster] : cluster_of_) {
      std::set<std::int32_t> indices;
      for (const OpId member : cluster) {
        indices.insert(indices_[member.index()]);
      }
      by_least_index[*indices.begin()] = cluster;
    }
    std::vector<OpSet> kernels;
    for (const auto& [index, cluster] : by_least_index) {
      kernels.push_back(cluster);
    }
    return kernels;
  }

  const sim::OpGraph& graph_;
  const sim::FusionLimits& limits_;
  std::span<const DeviceId> placement_;
  std::span<const std::int32_t> priority_;
  std::span<const std::int32_t> region_;
  std::vector<std::int32_t> indices_;
  std::map<OpId, OpSet> cluster_of_;
  std::map<OpId, std::int32_t> known_depths_;
  std::vector<std::int32_t> depth_;
};

}  // namespace

std::vector<OpSet> FuseSlowly(const sim::OpGraph& graph,
                              const sim::FusionLimits& limits,
                              std::span<const DeviceId> placement,
                              std::span<const std::int32_t> fusion_priority,
                              std::span<const std::int32_t> fusion_region) {
  return ReferenceFuser(graph, limits, placement, fusion_priority, fusion_region).Fuse();
}

}  // namespace opyard::testing
