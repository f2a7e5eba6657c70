// The least time that an op adds to its kernel, under every plan with fusion.
#pragma once

#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/fusion/fusion_graph.h"
#include "sim/graph/op_graph.h"

namespace opyard::sim {

// Ops that may come to share a kernel, in groups: no kernel has ops of two groups.
struct KernelGroups {
  std::vector<std::int32_t> group_of;  // by OpId
  std::vector<std::vector<OpId>> groups;
  std::vector<FusionRole> roles;  // by OpId
};
[[nodiscard]] KernelGroups FindKernelGroups(const OpGraph& graph, const FusionLimits& limits);

// By OpId, each rounded down. On `device` every kernel of every plan takes as long as the times of
// its ops here together, or longer (docs/modelling.md, section 8, "Bound"). O(edges).
[[nodiscard]] std::vector<SimTime> LeastTimesInKernels(const OpGraph& graph,
                                                       const KernelGroups& groups,
                                                       const CostTable& costs,
                                                       DeviceId device);

}  // namespace opyard::sim
