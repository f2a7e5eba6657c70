// A script for PyTorch alone that runs a model on the devices of a plan.
#pragma once

#include <vector>

#include "experiments/plans/layouts/layout.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// dispatch.py: `dispatch(model)` moves each module to its device, and what it reads to that device
// whenever it runs; what a module reads of its children between their calls comes back to it.
[[nodiscard]] Layout WritePythonScript(const LayoutInput& input,
                                       std::vector<Inexpressible>& reasons);

// The placement in which the ops of each module, its children left out, are where most of their
// time is.
[[nodiscard]] sim::OpPlacement RoundForPythonScript(const LayoutInput& input);

}  // namespace opyard::experiments
