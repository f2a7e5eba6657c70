// Device annotations of the nodes of an ONNX model, for ONNX Runtime.
#pragma once

#include <vector>

#include "experiments/plans/layouts/layout.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// node_devices.json: the device of each op by its name, which stands with its node as `layer_ann`;
// session_options.json: the setting that maps these to execution providers.
[[nodiscard]] Layout WriteOnnxruntime(const LayoutInput& input,
                                      std::vector<Inexpressible>& reasons);

// The placement with one accelerator, the one with most time, and one CPU.
[[nodiscard]] sim::OpPlacement RoundForOnnxruntime(const LayoutInput& input);

}  // namespace opyard::experiments
