// The fusion of a placement that differs little from one that was fused.
//
// The decisions of Fuse are repeated in their order. A kernel of the fusion before is clean until
// one of its ops is merged with what was in another, and dirty from then on; those of ops that have
// moved are dirty from the beginning. Visits that may end otherwise are simulated: those of dirty
// ops, of ops with a dirty consumer, and of ops for which a merge was refused because of a path
// through a dirty kernel. The others do what they did. Why that is Fuse's result:
//
// - As long as all visits have ended as Fuse ends them, the clusters are Fuse's, so that a
// simulated
//   visit ends as Fuse's does.
// - A refusal that is repeated stands: both clusters are as they were, and so are all on the path.
// - A merge that is repeated joins two parts of a clean kernel. A path between them inside the
//   kernel would have been there before. One through others would be a cycle of what clean kernels
//   will be; before a merge closes such a cycle, the clean kernels on it become dirty.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/ids.h"
#include "sim/fusion/fuser.h"
#include "sim/fusion/fusion_graph.h"
#include "sim/fusion/fusion_log.h"
#include "sim/fusion/kernels.h"
#include "sim/fusion/replayed_clusters.h"

namespace opyard::sim {

// A fusion that is remembered.
struct PastFusion {
  std::span<const DeviceId> placement;  // by OpId
  const Kernels& kernels;
  const FusionLog& log;
  std::span<const std::int32_t> region;  // by OpId; empty: all ops are of one
};

// Reused from call to call so that nothing is allocated; one thread at a time.
struct ReplayWorkspace {
  ReplayedClusters clusters;
  std::vector<std::int32_t> moved;         // kernels of ops that have moved
  std::vector<std::uint8_t> is_simulated;  // by op
  std::vector<std::uint8_t> has_rules;     // by kernel before: merge rules know its parts
};

// Does what Fuse does; `replay.clusters.dirty()` then lists the kernels of `past` of whose ops
// other kernels may have come. REQUIRES: `past` is a fusion of `graph` by the same priorities in
// the same regions. False if so much may change that Fuse is sooner; nothing in the workspaces then
// has a meaning.
[[nodiscard]] bool ReplayFusion(const FusionGraph& graph,
                                const PastFusion& past,
                                std::span<const DeviceId> placement,
                                std::span<const std::int32_t> fusion_priority,
                                FusionWorkspace& workspace,
                                ReplayWorkspace& replay);

}  // namespace opyard::sim
