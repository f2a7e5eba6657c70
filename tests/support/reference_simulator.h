// The independent, slow, obvious simulator that the engine is compared with.
#pragma once

#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/cost/cost_table.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::testing {

// The results of the reference. `report` is filled but for its two bounds; `channels` lists, by
// name, those that carried something; `failure->largest_residents` lists every resident, largest
// first, then by name.
struct ReferenceRun {
  sim::SimReport report;
  std::vector<Bytes> in_use_at_end;  // [num_devices]
  // At a deadlock, what waits for what, in op order and then for transfers in theirs:
  // "op b waits for a:0", "op c waits for 500 bytes on d0", "copy of a:0 waits for 10 bytes on d1".
  std::vector<std::string> waiting;
};

// Runs `plan` literally as the rules of the simulation say: sets, maps and scans, nothing shared
// with sim/engine. Quadratic; meant for graphs of up to a few thousand ops, with
// fusion a hundred. The makespan of a
// deadlock is the last instant at which something ended, arrived, was issued or had rested. Throws
// std::invalid_argument for what it does not cover: the rules of Placeto, and one transfer per
// output shared fairly.
[[nodiscard]] ReferenceRun SimulateSlowly(const sim::OpGraph& graph,
                                          const sim::HardwareProfile& hardware,
                                          const sim::CostTable& costs,
                                          const sim::Plan& plan);

}  // namespace opyard::testing
