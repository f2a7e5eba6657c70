// `device_map` of Hugging Face Accelerate.
#pragma once

#include <vector>

#include "experiments/plans/layouts/layout.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// device_map.json: by the path of a module, the number of its GPU, "cpu" or another name, with the
// fewest entries. A module whose weights are on the CPU and whose ops are on the main device has
// the entry of its weights: they are copied there whenever it runs.
[[nodiscard]] Layout WriteAccelerate(const LayoutInput& input, std::vector<Inexpressible>& reasons);

// The placement of whole modules where most of their time is: where the ops between modules read
// from several devices, the modules around them go together. Ops of modules on a CPU go to the main
// device, where an accelerator computes, and leave their weights.
[[nodiscard]] sim::OpPlacement RoundForAccelerate(const LayoutInput& input);

}  // namespace opyard::experiments
