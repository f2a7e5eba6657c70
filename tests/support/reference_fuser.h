// The independent, slow, obvious fuser that the fast one is compared with.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::testing {

// The ops of one kernel.
using OpSet = std::set<OpId>;

// The kernels that `fusion_priority` (by OpId; 0 declines) leads to in `fusion_region` (by OpId, or
// empty), by the least topological index
// of their ops. A literal reading of the rules: every question is answered by looking at the whole
// graph again. Cubic; meant for graphs of up to a hundred ops.
[[nodiscard]] std::vector<OpSet> FuseSlowly(const sim::OpGraph& graph,
                                            const sim::FusionLimits& limits,
                                            std::span<const DeviceId> placement,
                                            std::span<const std::int32_t> fusion_priority,
                                            std::span<const std::int32_t> fusion_region = {});

}  // namespace opyard::testing
