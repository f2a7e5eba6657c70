#include "sim/fusion/fusion_replay.h"

#include <algorithm>

#include "sim/fusion/absorption.h"
#include "sim/fusion/cluster_set.h"
#include "sim/fusion/kernel_numbers.h"

namespace opyard::sim {
namespace {

// With more than one dirty op in so many Fuse is sooner.
constexpr std::size_t kOpsPerDirtyOp = 2;

class Replay {
 public:
  Replay(const FusionGraph& graph,
         const PastFusion& past,
         std::span<const DeviceId> placement,
         FusionWorkspace& workspace,
         ReplayWorkspace& replay)
      : g_(graph), past_(past), placement_(placement), w_(workspace), r_(replay) {}

  bool Run(std::span<const std::int32_t> fusion_priority) {
    w_.priority.resize(g_.num_ops);
    for (std::size_t k = 0; k < g_.num_ops; ++k) {
      w_.priority[k] = fusion_priority[g_.op_of[k].index()];
    }
    Reserve();
    FindMoved();
    r_.clusters.Reset(g_, past_.kernels, r_.moved);
    w_.rules.Reset(g_, placement_, past_.region);
    r_.is_simulated.assign(g_.num_ops, 0);
    r_.has_rules.assign(past_.kernels.num_kernels, 0);
    NoteDirty();
    if (!RepeatVisits()) {
      return false;
    }
    NumberKernels(g_, r_.clusters.clusters(), w_);
    ListInOrder();
    return true;
  }

 private:
  // Makes room for other plans, which may need more.
  void Reserve() {
    w_.log.visits.reserve(g_.num_ops);
    w_.log.first_absorbed.reserve(g_.num_ops + 1);
    w_.log.absorbed.reserve(g_.num_ops);
    w_.log.first_witness.reserve(g_.num_ops + 1);
    w_.log.witnesses.reserve(g_.successors.size() + g_.num_ops);
    w_.candidates.reserve(g_.most_candidates);
    r_.moved.reserve(g_.num_ops);
    r_.has_rules.reserve(g_.num_ops);
  }

  [[nodiscard]] DeviceId DeviceOf(std::int32_t op) const {
    return placement_[g_.op_of[At(op)].index()];
  }
  [[nodiscard]] bool TakesPart(std::int32_t op) const {
    return w_.priority[At(op)] > 0 && g_.roles[At(op)] != FusionRole::kOpaque;
  }

  void FindMoved() {
    r_.moved.clear();
    for (std::size_t k = 0; k < g_.num_ops; ++k) {
      const std::size_t op = g_.op_of[k].index();
      if (placement_[op] != past_.placement[op] && TakesPart(static_cast<std::int32_t>(k))) {
        r_.moved.push_back(past_.kernels.kernel_of[k]);
      }
    }
    std::ranges::sort(r_.moved);
    const auto repeated = std::ranges::unique(r_.moved);
    r_.moved.erase(repeated.begin(), repeated.end());
  }

  // From now on visits that the newly dirty kernels have to do with are simulated.
  void NoteDirty() {
    for (; num_noted_ < r_.clusters.dirty().size(); ++num_noted_) {
      const auto ops = past_.kernels.ops_of(At(r_.clusters.dirty()[num_noted_]));
      num_dirty_ops_ += ops.size();
      LearnRules(ops.front());
      for (const std::int32_t op : ops) {
        r_.is_simulated[At(op)] = 1;
        for (const std::int32_t producer : g_.producers_of(op)) {
          if (DeviceOf(producer) == DeviceOf(op)) {
            r_.is_simulated[At(producer)] = 1;
          }
        }
      }
    }
  }

  // Of the kernel of `op`, from now on.
  void LearnRules(std::int32_t op) {
    const std::int32_t kernel = past_.kernels.kernel_of[At(op)];
    if (r_.has_rules[At(kernel)] != 0) {
      return;
    }
    r_.has_rules[At(kernel)] = 1;
    const ClusterSet& clusters = r_.clusters.clusters();
    for (const std::int32_t part : past_.kernels.ops_of(At(kernel))) {
      if (clusters.cluster_of(part) == part && clusters.size(part) > 1) {
        w_.rules.Derive(clusters, part);
      }
    }
  }

  // False once there is too much to be simulated.
  bool RepeatVisits() {
    w_.log.Clear();
    w_.log.visits = past_.log.visits;
    const std::size_t num_visits = w_.log.visits.size();
    std::size_t first_repeated = 0;  // of those that are to be copied into the log
    for (std::size_t visit = 0; visit < num_visits; ++visit) {
      const std::int32_t op = w_.log.visits[visit];
      if (r_.is_simulated[At(op)] == 0 && IsWitnessed(visit)) {
        Repeat(visit, op);
        continue;
      }
      CopyLog(first_repeated, visit);
      first_repeated = visit + 1;
      Simulate(op);
      if (num_dirty_ops_ * kOpsPerDirtyOp > g_.num_ops) {
        return false;
      }
    }
    CopyLog(first_repeated, num_visits);
    w_.log.BeginVisit();
    return true;
  }

  void Simulate(std::int32_t op) {
    LearnRules(op);
    for (const std::int32_t consumer : g_.candidates_of(op)) {
      if (DeviceOf(consumer) == DeviceOf(op)) {
        LearnRules(consumer);
      }
    }
    Absorption(g_, w_, r_.clusters).Visit(op);
    NoteDirty();
  }

  // Whether all paths are still there because of which merges were refused.
  [[nodiscard]] bool IsWitnessed(std::size_t visit) const {
    return std::ranges::none_of(past_.log.witnesses_of(visit),
                                [&](std::int32_t op) { return r_.clusters.IsDirty(op); });
  }

  void Repeat(std::size_t visit, std::int32_t op) {
    const ClusterSet& clusters = r_.clusters.clusters();
    for (const std::int32_t consumer : past_.log.absorbed_in(visit)) {
      const std::int32_t a = clusters.cluster_of(op);
      const std::int32_t b = clusters.cluster_of(consumer);
      if (r_.has_rules[At(past_.kernels.kernel_of[At(op)])] != 0) {
        w_.rules.Merge(clusters, a, b);
      }
      r_.clusters.JoinParts(a, b);
    }
  }

  // What visits [first, end) came to, as before.
  void CopyLog(std::size_t first, std::size_t end) {
    const auto copy = [&](const std::vector<std::int32_t>& firsts,
                          const std::vector<std::int32_t>& all,
                          std::vector<std::int32_t>& new_firsts,
                          std::vector<std::int32_t>& new_all) {
      const std::int32_t shift = Size32(new_all.size()) - firsts[first];
      for (std::size_t visit = first; visit < end; ++visit) {
        new_firsts.push_back(firsts[visit] + shift);
      }
      const auto range = Subrange(all, firsts[first], firsts[end]);
      new_all.insert(new_all.end(), range.begin(), range.end());
    };
    const FusionLog& log = past_.log;
    copy(log.first_absorbed, log.absorbed, w_.log.first_absorbed, w_.log.absorbed);
    copy(log.first_witness, log.witnesses, w_.log.first_witness, w_.log.witnesses);
  }

  void ListInOrder() {
    std::vector<std::int32_t>& order = w_.kernels.topological_order;
    order.clear();
    order.reserve(g_.num_ops);
    r_.clusters.order().ForEach(
        [&](std::int32_t cluster) { order.push_back(w_.kernels.kernel_of[At(cluster)]); });
  }

  const FusionGraph& g_;
  const PastFusion& past_;
  std::span<const DeviceId> placement_;
  FusionWorkspace& w_;
  ReplayWorkspace& r_;
  std::size_t num_noted_ = 0;  // dirty kernels
  std::size_t num_dirty_ops_ = 0;
};

}  // namespace

bool ReplayFusion(const FusionGraph& graph,
                  const PastFusion& past,
                  std::span<const DeviceId> placement,
                  std::span<const std::int32_t> fusion_priority,
                  FusionWorkspace& workspace,
                  ReplayWorkspace& replay) {
  return Replay(graph, past, placement, workspace, replay).Run(fusion_priority);
}

}  // namespace opyard::sim
