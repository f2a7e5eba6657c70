#include "sim/fusion/fuser.h"

#include <algorithm>

namespace opyard::sim {
namespace {

// Priorities are sorted by digits of so many bits.
constexpr unsigned kDigitBits = 10;
constexpr std::int32_t kNumBuckets = 1 << kDigitBits;

class Fusing {
 public:
  Fusing(const FusionGraph& graph, FusionWorkspace& workspace) : g_(graph), w_(workspace) {}

  void Run(std::span<const DeviceId> placement, std::span<const std::int32_t> fusion_priority) {
    w_.quotient.Reset(g_);
    w_.rules.Reset(g_, placement);
    Reserve();
    w_.priority.resize(g_.num_ops);
    for (std::size_t k = 0; k < g_.num_ops; ++k) {
      w_.priority[k] = fusion_priority[g_.op_of[k].index()];
    }
    OrderVisits();
    for (const std::int32_t op : w_.visits) {
      CollectCandidates(op);
      while (AbsorbOne(op)) {
      }
    }
    NumberKernels();
  }

 private:
  // Makes room for other plans, which may need more.
  void Reserve() {
    w_.visits.reserve(g_.num_ops);
    w_.sorting.reserve(g_.num_ops);
    w_.candidates.reserve(g_.most_candidates);
    w_.kernels.first_op.reserve(g_.num_ops + 1);
    w_.kernels.topological_order.reserve(g_.num_ops);
  }

  void OrderVisits() {
    w_.visits.clear();
    std::int32_t highest = 0;
    for (std::size_t k = 0; k < g_.num_ops; ++k) {
      const auto op = static_cast<std::int32_t>(k);
      if (w_.priority[k] > 0 && !g_.candidates_of(op).empty()) {
        w_.visits.push_back(op);
        highest = std::max(highest, w_.priority[k]);
      }
    }
    for (unsigned shift = 0; highest >> shift > 0; shift += kDigitBits) {
      SortVisitsByDigit(shift);
    }
  }

  // Stable, descending.
  void SortVisitsByDigit(unsigned shift) {
    const auto bucket = [&](std::int32_t op) {
      return At(kNumBuckets - 1 - ((w_.priority[At(op)] >> shift) & (kNumBuckets - 1)));
    };
    w_.bucket_ends.assign(At(kNumBuckets), 0);
    for (const std::int32_t op : w_.visits) {
      ++w_.bucket_ends[bucket(op)];
    }
    std::int32_t end = 0;
    for (std::int32_t& bucket_end : w_.bucket_ends) {
      end += bucket_end;
      bucket_end = end;
    }
    w_.sorting.resize(w_.visits.size());
    for (std::size_t i = w_.visits.size(); i-- > 0;) {
      w_.sorting[At(--w_.bucket_ends[bucket(w_.visits[i])])] = w_.visits[i];
    }
    std::swap(w_.visits, w_.sorting);
  }

  void CollectCandidates(std::int32_t op) {
    w_.candidates.clear();
    const auto consumers = g_.candidates_of(op);
    for (std::size_t i = 0; i < consumers.size(); ++i) {
      const std::int32_t priority = w_.priority[At(consumers[i])];
      if (priority > 0 && w_.rules.device_of(consumers[i]) == w_.rules.device_of(op)) {
        w_.candidates.push_back(
            {.key = (~static_cast<std::uint64_t>(priority) << 32U) | i, .op = consumers[i]});
      }
    }
    std::ranges::sort(w_.candidates, {}, &FusionWorkspace::Candidate::key);
  }

  // Merges the cluster of `op` with that of the first candidate that is legal; false if none is.
  // Candidates that are out for good are dropped on the way.
  bool AbsorbOne(std::int32_t op) {
    const ClusterSet& clusters = w_.quotient.clusters();
    const std::int32_t own = clusters.cluster_of(op);
    std::size_t num_kept = 0;
    bool has_absorbed = false;
    for (std::size_t i = 0; i < w_.candidates.size(); ++i) {
      FusionWorkspace::Candidate candidate = w_.candidates[i];
      if (!has_absorbed && !IsStillBlocked(candidate, own)) {
        const std::int32_t other = clusters.cluster_of(candidate.op);
        if (other == own || !w_.rules.MayMerge(clusters, own, other)) {
          continue;
        }
        const std::optional<std::int32_t> detour = w_.quotient.FindDetour(own, other);
        if (!detour.has_value()) {
          Merge(own, other);
          has_absorbed = true;
          continue;
        }
        candidate.detour = *detour;
      }
      w_.candidates[num_kept++] = candidate;
    }
    w_.candidates.resize(num_kept);
    return has_absorbed;
  }

  // While `op` is visited only its own cluster grows, so a detour stays one until it is pulled in.
  [[nodiscard]] bool IsStillBlocked(const FusionWorkspace::Candidate& candidate,
                                    std::int32_t own) const {
    return candidate.detour >= 0 && w_.quotient.clusters().cluster_of(candidate.detour) != own;
  }

  void Merge(std::int32_t a, std::int32_t b) {
    w_.rules.Merge(w_.quotient.clusters(), a, b);
    w_.quotient.Contract(a, b);
  }

  void NumberKernels() {
    const ClusterSet& clusters = w_.quotient.clusters();
    Kernels& kernels = w_.kernels;
    w_.kernel_of_cluster.assign(g_.num_ops, -1);
    kernels.kernel_of.resize(g_.num_ops);
    kernels.first_op.clear();
    std::int32_t num_numbered = 0;
    for (std::size_t k = 0; k < g_.num_ops; ++k) {
      const std::int32_t cluster = clusters.cluster_of(static_cast<std::int32_t>(k));
      std::int32_t& kernel = w_.kernel_of_cluster[At(cluster)];
      if (kernel < 0) {
        kernel = static_cast<std::int32_t>(kernels.first_op.size());
        kernels.first_op.push_back(num_numbered);
        num_numbered += clusters.size(cluster);
      }
      kernels.kernel_of[k] = kernel;
    }
    kernels.num_kernels = kernels.first_op.size();
    kernels.first_op.push_back(num_numbered);
    ListOps();
    kernels.topological_order.clear();
    w_.quotient.order().ForEach([&](std::int32_t cluster) {
      kernels.topological_order.push_back(w_.kernel_of_cluster[At(cluster)]);
    });
  }

  // Sorts the ops by kernel. Meanwhile first_op is the place of the next op of a kernel.
  void ListOps() {
    Kernels& kernels = w_.kernels;
    kernels.ops.resize(g_.num_ops);
    for (std::size_t k = 0; k < g_.num_ops; ++k) {
      std::int32_t& place = kernels.first_op[At(kernels.kernel_of[k])];
      kernels.ops[At(place++)] = static_cast<std::int32_t>(k);
    }
    std::copy_backward(
        kernels.first_op.begin(), kernels.first_op.end() - 2, kernels.first_op.end() - 1);
    kernels.first_op.front() = 0;
  }

  const FusionGraph& g_;
  FusionWorkspace& w_;
};

}  // namespace

void Fuse(const FusionGraph& graph,
          std::span<const DeviceId> placement,
          std::span<const std::int32_t> fusion_priority,
          FusionWorkspace& workspace) {
  Fusing(graph, workspace).Run(placement, fusion_priority);
}

}  // namespace opyard::sim
