// Lower bounds on the makespan.
#pragma once

#include <span>

#include "sim/base/units.h"
#include "sim/cost/cost_table.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// max(longest path of the plan's ops without transfers; work of each device). SIMULATION §7.
[[nodiscard]] SimTime PlanBound(const OpGraph& graph,
                                const HardwareProfile& hardware,
                                const CostTable& costs,
                                std::span<const DeviceId> placement);

// Over all plans without fusion: with τ(o) the least time of o over its allowed devices,
// max(longest τ-path; Σ τ / number of devices; for each device kind, Σ τ of the ops allowed only
// there / its devices), rounded down. SIMULATION §7.
[[nodiscard]] SimTime ProblemBound(const OpGraph& graph,
                                   const HardwareProfile& hardware,
                                   const CostTable& costs);

}  // namespace opyard::sim
