#include "sim/fusion/fuser.h"

#include <algorithm>

#include "sim/fusion/absorption.h"
#include "sim/fusion/kernel_numbers.h"

namespace opyard::sim {
namespace {

// Priorities are sorted by digits of so many bits.
constexpr unsigned kDigitBits = 10;
constexpr std::int32_t kNumBuckets = 1 << kDigitBits;

class Fusing {
 public:
  Fusing(const FusionGraph& graph, FusionWorkspace& workspace) : g_(graph), w_(workspace) {}

  void Run(std::span<const DeviceId> placement,
           std::span<const std::int32_t> fusion_priority,
           std::span<const std::int32_t> fusion_region) {
    w_.quotient.Reset(g_);
    w_.rules.Reset(g_, placement, fusion_region);
    Reserve();
    w_.priority.resize(g_.num_ops);
    for (std::size_t k = 0; k < g_.num_ops; ++k) {
      w_.priority[k] = fusion_priority[g_.op_of[k].index()];
    }
    OrderVisits();
    w_.log.Clear();
    for (const std::int32_t op : w_.log.visits) {
      Absorption(g_, w_, w_.quotient).Visit(op);
    }
    w_.log.BeginVisit();
    NumberKernels(g_, w_.quotient.clusters(), w_);
    ListInOrder();
  }

 private:
  // Makes room for other plans, which may need more.
  void Reserve() {
    w_.log.visits.reserve(g_.num_ops);
    w_.log.first_absorbed.reserve(g_.num_ops + 1);
    w_.log.absorbed.reserve(g_.num_ops);
    w_.log.first_witness.reserve(g_.num_ops + 1);
    w_.log.witnesses.reserve(g_.successors.size() + g_.num_ops);
    w_.sorting.reserve(g_.num_ops);
    w_.candidates.reserve(g_.most_candidates);
    w_.kernels.topological_order.reserve(g_.num_ops);
  }

  void OrderVisits() {
    w_.log.visits.clear();
    std::int32_t highest = 0;
    for (std::size_t k = 0; k < g_.num_ops; ++k) {
      const auto op = static_cast<std::int32_t>(k);
      if (w_.priority[k] > 0 && !g_.candidates_of(op).empty()) {
        w_.log.visits.push_back(op);
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
    for (const std::int32_t op : w_.log.visits) {
      ++w_.bucket_ends[bucket(op)];
    }
    std::int32_t end = 0;
    for (std::int32_t& bucket_end : w_.bucket_ends) {
      end += bucket_end;
      bucket_end = end;
    }
    w_.sorting.resize(w_.log.visits.size());
    for (std::size_t i = w_.log.visits.size(); i-- > 0;) {
      w_.sorting[At(--w_.bucket_ends[bucket(w_.log.visits[i])])] = w_.log.visits[i];
    }
    std::swap(w_.log.visits, w_.sorting);
  }

  void ListInOrder() {
    w_.kernels.topological_order.clear();
    w_.quotient.order().ForEach([&](std::int32_t cluster) {
      w_.kernels.topological_order.push_back(w_.kernels.kernel_of[At(cluster)]);
    });
  }

  const FusionGraph& g_;
  FusionWorkspace& w_;
};

}  // namespace

void Fuse(const FusionGraph& graph,
          std::span<const DeviceId> placement,
          std::span<const std::int32_t> fusion_priority,
          FusionWorkspace& workspace,
          std::span<const std::int32_t> fusion_region) {
  Fusing(graph, workspace).Run(placement, fusion_priority, fusion_region);
}

}  // namespace opyard::sim
