// Groups of a problem merged along the stages of its network.
#pragma once

#include <cstdint>

#include "env/problem.h"
#include "sim/graph/colocation.h"

namespace opyard::agents {

// About `count` unions of groups of the problem, each of which is a run of stages (stages.h), of
// about equal times on the first accelerator: what a network does at one depth, forward, backward
// and update, stays together. With no more of them than there are layers a run is of whole layers
// (LayerStages), in blocks whose longest takes as little time as may be. With more, a layer is cut
// into runs of its places in the forward pass (ForwardStages), as many as its time asks for. Groups
// that have no choice are a union for each device, and groups that may use different devices are
// never in one, so that there may be more than `count`. REQUIRES: count >= 1.
[[nodiscard]] sim::Grouping StageGroups(const env::Problem& problem, std::int32_t count);

}  // namespace opyard::agents
