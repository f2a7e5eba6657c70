// Errors of the orders of channels of a plan.
#pragma once

#include <string>

#include "sim/base/error.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// Adds to `diagnostics` what is wrong with `plan.transfer_order` at
// "`place`/transfer_order/cable>/2" and the like: channels that no transfer of the machine occupies
// or that stand there twice; copies that do not exist, that the plan does not make, that do not
// pass the channel, or that stand there twice; any order on machines whose transfers do not wait
// for channels one by one (rules opyard, sharing serial, one_per destination). REQUIRES: every op
// has a device of the machine.
void CheckTransferOrder(const OpGraph& graph,
                        const HardwareProfile& hardware,
                        const Plan& plan,
                        const std::string& place,
                        Diagnostics& diagnostics);

}  // namespace opyard::sim
