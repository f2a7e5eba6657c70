// Fusion priorities → kernels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/ids.h"
#include "sim/fusion/fusion_graph.h"
#include "sim/fusion/fusion_log.h"
#include "sim/fusion/kernels.h"
#include "sim/fusion/merge_rules.h"
#include "sim/fusion/quotient_graph.h"

namespace opyard::sim {

// The state of Fuse, reused from call to call so that nothing is allocated; one thread at a time.
struct FusionWorkspace {
  // A consumer that the op at hand may absorb.
  struct Candidate {
    std::uint64_t key = 0;  // ascending: priority descending, then place among candidates_of
    std::int32_t op = 0;
    std::int32_t detour = -1;  // an op outside that lay on the way to it, if one did
  };

  Kernels kernels;
  FusionLog log;
  QuotientGraph quotient;
  MergeRules rules;
  std::vector<std::int32_t> priority;  // by topological index
  std::vector<std::int32_t> sorting;
  std::vector<std::int32_t> bucket_ends;
  std::vector<std::int32_t> kernel_of_cluster;
  std::vector<Candidate> candidates;
};

// Merges ops into kernels (docs/modelling.md, "Fusion") and leaves them in
// `workspace.kernels`, and its decisions in `workspace.log`. Ops with priority 0 stay alone. Visits
// the others by priority descending, then index; each pulls in the consumer of highest priority
// (ties: more bytes, then the smaller index) whose cluster may be merged with its own, until there
// is none.
//
// `placement`, `fusion_priority` and `fusion_region` are by OpId; no kernel holds ops of two
// regions, and without regions all ops are of one. REQUIRES: a device for every op, priorities in
// 0 … kLargestFusionPriority. Deterministic. Allocates nothing once `workspace` is warm.
void Fuse(const FusionGraph& graph,
          std::span<const DeviceId> placement,
          std::span<const std::int32_t> fusion_priority,
          FusionWorkspace& workspace,
          std::span<const std::int32_t> fusion_region = {});

}  // namespace opyard::sim
