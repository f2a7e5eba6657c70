// The independent, slow, obvious simulator that the engine is compared with.
#pragma once

#include <vector>

#include "sim/base/units.h"
#include "sim/cost/cost_table.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"
#include "sim/trace/sim_result.h"

namespace opyard::testing {

// What the reference found. `report` is filled but for its two bounds; `channels` lists, by name,
// those that carried something; `failure->largest_residents` lists every resident, largest first,
// then by name.
struct ReferenceRun {
  sim::SimReport report;
  std::vector<Bytes> in_use_at_end;  // [num_devices]
};

// Runs `plan` literally as the rules of the simulation say: sets, maps and scans, nothing shared
// with sim/engine. Quadratic; meant for graphs of up to a few thousand ops. Throws
// std::invalid_argument for rules that it does not cover: fair sharing, gaps, dispatch, one
// transfer per output or edge, waiting for memory, fusion, rules other than opyard's own.
[[nodiscard]] ReferenceRun SimulateSlowly(const sim::OpGraph& graph,
                                          const sim::HardwareProfile& hardware,
                                          const sim::CostTable& costs,
                                          const sim::Plan& plan);

}  // namespace opyard::testing
