// One op's visit by the fuser: the consumers that it pulls into its cluster.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/fusion/cluster_set.h"
#include "sim/fusion/fuser.h"
#include "sim/fusion/fusion_graph.h"

namespace opyard::sim {

// `Quotient` is the graph of clusters: QuotientGraph, or what has its members clusters(),
// FindDetour(), AddPath() and Contract().
template <class Quotient>
class Absorption {
 public:
  Absorption(const FusionGraph& graph, FusionWorkspace& workspace, Quotient& quotient)
      : g_(graph), w_(workspace), quotient_(quotient) {}

  // Merges the cluster of `op` with those of its consumers until no more is legal, and logs it.
  void Visit(std::int32_t op) {
    w_.log.BeginVisit();
    CollectCandidates(op);
    while (AbsorbOne(op)) {
    }
  }

 private:
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
    const ClusterSet& clusters = quotient_.clusters();
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
        const std::optional<std::int32_t> detour = quotient_.FindDetour(own, other);
        if (!detour.has_value()) {
          Merge(own, other);
          w_.log.absorbed.push_back(candidate.op);
          has_absorbed = true;
          continue;
        }
        quotient_.AddPath(w_.log.witnesses);
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
    return candidate.detour >= 0 && quotient_.clusters().cluster_of(candidate.detour) != own;
  }

  void Merge(std::int32_t a, std::int32_t b) {
    w_.rules.Merge(quotient_.clusters(), a, b);
    quotient_.Contract(a, b);
  }

  const FusionGraph& g_;
  FusionWorkspace& w_;
  Quotient& quotient_;
};

}  // namespace opyard::sim
