// A lower bound on the makespans of all plans of a problem.
#pragma once

#include <cstdint>

#include "sim/analysis/problem_bound/op_times.h"
#include "sim/base/units.h"
#include "sim/cost/cost_table.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/hardware/routes.h"

namespace opyard::sim {

// What the plans that a bound holds for may do.
struct BoundedPlans {
  KernelsOfPlans kernels = KernelsOfPlans::kSingleOps;
  // Whether a device runs one op at a time; else only paths count, and no work.
  bool one_op_at_a_time = true;
};

// No plan that completes has a smaller makespan, under whatever rules of the machine, also if
// devices idle while ops are ready (docs/modelling.md, section 5). About O(edges log edges · device
// classes²). REQUIRES: some device is allowed for each op.
[[nodiscard]] SimTime ProblemBound(const OpGraph& graph,
                                   const HardwareProfile& hardware,
                                   const CostTable& costs,
                                   const RouteTable& routes,
                                   BoundedPlans plans = {});

}  // namespace opyard::sim
