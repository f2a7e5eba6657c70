// Does a plan fit a graph and a machine?
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/error.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// The range of op and transfer priorities is ± kLargestPriority, that of fusion priorities
// 0 … kLargestFusionPriority.
inline constexpr std::int32_t kLargestFusionPriority = 1'000'000;

// Lists what is wrong with `plan`, each problem at "`place`/placement/3" and the like. Problems
// are: array lengths, devices that do not exist or on which the op may not run, split co-location
// groups, priorities beyond their range, transfer priorities for tensors or devices that do not
// exist or given twice, and what CheckOrder says of streams (order_check.h). An order that can
// never go on is none of them: its run ends in a deadlock (order_cycle.h).
[[nodiscard]] Diagnostics FindPlanErrors(const OpGraph& graph,
                                         const HardwareProfile& hardware,
                                         const Plan& plan,
                                         const std::string& place = "plan#");

// Throws PlanError with those problems, if there are any.
void ValidatePlan(const OpGraph& graph, const HardwareProfile& hardware, const Plan& plan);

}  // namespace opyard::sim
