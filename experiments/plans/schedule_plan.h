// Schedules of solvers, tables of ops with their devices and starts, as plans.
#pragma once

#include <string>
#include <string_view>

#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// The plan, queue kOrder, of a table with the columns op (a name), device and start_s (seconds);
// other columns are skipped. Each device has one stream, its ops by start and, of equal starts, by
// topological index: two starts that are the same picosecond are equal.
//
// Throws InputError with all problems, each as "`place`:LINE: start_s: …": a name that the graph or
// the machine lacks, an op twice or nowhere, a start that is no time from 0 to kLargestSeconds,
// what FindPlanErrors finds, and an order that can never go on, with its cycle. Whether an op could
// start at its start is not checked. O(n log n).
[[nodiscard]] sim::Plan PlanOfSchedule(std::string_view text,
                                       const std::string& place,
                                       const sim::OpGraph& graph,
                                       const sim::HardwareProfile& hardware);

}  // namespace opyard::experiments
