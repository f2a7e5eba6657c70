// The terms of the roofline for each kind of op.
#pragma once

#include "sim/cost/cost_model.h"
#include "sim/graph/op.h"
#include "sim/hardware/device.h"

namespace opyard::sim {

// The terms of `op` on `device`; `total_s` is still 0. `shape` may be null.
[[nodiscard]] OpCost TermsOf(const Op& op, const WorkShape* shape, const Device& device);

}  // namespace opyard::sim
