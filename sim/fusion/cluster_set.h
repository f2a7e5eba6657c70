// Which ops are in one cluster: disjoint sets whose members can be listed.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "sim/base/array_index.h"

namespace opyard::sim {

// A cluster goes by the index of one of its ops. Reset allocates only what it never had.
class ClusterSet {
 public:
  // Every op is a cluster of its own.
  void Reset(std::size_t num_ops) {
    cluster_.resize(num_ops);
    std::iota(cluster_.begin(), cluster_.end(), 0);
    next_ = cluster_;
    size_.assign(num_ops, 1);
  }

  // Makes one cluster of `ops`, each of which is one of its own; its index is that of the first.
  void JoinAll(std::span<const std::int32_t> ops) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      cluster_[At(ops[i])] = ops.front();
      next_[At(ops[i])] = ops[i + 1 < ops.size() ? i + 1 : 0];
    }
    size_[At(ops.front())] = static_cast<std::int32_t>(ops.size());
  }

  // Puts `op` into the cluster that it is in in `other`. REQUIRES: called for all its ops.
  void CopyFrom(const ClusterSet& other, std::int32_t op) {
    cluster_[At(op)] = other.cluster_[At(op)];
    next_[At(op)] = other.next_[At(op)];
    size_[At(op)] = other.size_[At(op)];
  }

  [[nodiscard]] std::int32_t cluster_of(std::int32_t op) const { return cluster_[At(op)]; }
  [[nodiscard]] std::int32_t size(std::int32_t cluster) const { return size_[At(cluster)]; }

  // Calls test(op) for the ops of `cluster`, in no meaningful but a fixed order, until one of the
  // calls says true; says whether one did.
  template <class Test>
  bool AnyOp(std::int32_t cluster, Test&& test) const {
    std::int32_t op = cluster;
    do {
      if (test(op)) {
        return true;
      }
      op = next_[At(op)];
    } while (op != cluster);
    return false;
  }

  // Makes one cluster of two and returns its index: that of the larger. O(smaller).
  // REQUIRES: a != b.
  std::int32_t Join(std::int32_t a, std::int32_t b) {
    const std::int32_t larger = size(a) < size(b) ? b : a;
    const std::int32_t smaller = a + b - larger;
    std::int32_t op = smaller;
    do {
      cluster_[At(op)] = larger;
      op = next_[At(op)];
    } while (op != smaller);
    std::swap(next_[At(larger)], next_[At(smaller)]);
    size_[At(larger)] += size_[At(smaller)];
    return larger;
  }

 private:
  std::vector<std::int32_t> cluster_;  // by op
  std::vector<std::int32_t> next_;     // by op: the members of a cluster form a ring
  std::vector<std::int32_t> size_;     // by cluster
};

}  // namespace opyard::sim
