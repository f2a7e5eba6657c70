// The order in which a simulated run started its ops, as a plan.
#pragma once

#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::sim {

// Whether streams can repeat any run of `plan` on `hardware`. Not where each edge has a transfer of
// its own (`one_per: edge`), transfers wait for each other or for memory, and ops have priorities:
// two edges of one tensor to one device may then differ in priority, which no plan of streams says.
[[nodiscard]] bool CanRepeatRun(const HardwareProfile& hardware, const Plan& plan);

// A plan of queue kOrder, one stream per device, whose run is that of `plan` to the picosecond:
// placement and fusion are those of `plan`, the streams follow `report.start_order`, and transfers
// have the priorities that `plan` gives them or, under priorities of ops, lets them have. A plan of
// queue kOrder is returned as it is.
//
// Throws PlanError if the run of `report` has not completed; UnsupportedError unless CanRepeatRun.
// REQUIRES: `report` is of `plan` on this machine.
[[nodiscard]] Plan OrderOfRun(const HardwareProfile& hardware,
                              const Plan& plan,
                              const SimReport& report);

}  // namespace opyard::sim
