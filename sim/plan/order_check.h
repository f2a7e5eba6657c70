// Errors of the streams of a plan.
#pragma once

#include <string>

#include "sim/base/error.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// Adds to `diagnostics` what is wrong with `plan.order` at "`place`/order/gpu0/1/3" and the like:
// another number of devices than the machine's, ops that do not exist, that stand there twice, on
// another device than their placement, or nowhere; an order under another queue than kOrder, none
// under that; op priorities where devices have streams.
void CheckOrder(const OpGraph& graph,
                const HardwareProfile& hardware,
                const Plan& plan,
                const std::string& place,
                Diagnostics& diagnostics);

}  // namespace opyard::sim
