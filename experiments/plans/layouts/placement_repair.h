// Placements that a graph and a machine allow, from placements by module.
#pragma once

#include "experiments/plans/layouts/layout.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// `placement` made legal: ops of one label of co-location go where most of their time is, ops that
// may not run where they are go back to their place in the plan. Where the two conflict the whole
// label goes back.
[[nodiscard]] sim::OpPlacement WithLegalPlaces(const LayoutInput& input,
                                               sim::OpPlacement placement);

}  // namespace opyard::experiments
