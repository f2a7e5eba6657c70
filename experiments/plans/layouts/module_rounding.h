// The nearest placement of whole modules.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "experiments/plans/layouts/layout.h"
#include "sim/graph/modules.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// The limits of a target that places modules.
struct RoundingRules {
  // The device that has the inputs of the network where ops between modules run where the tensors
  // are that they read; nothing where each module has a device for these.
  std::optional<DeviceId> inputs;
  // The device on which it can run ops that a plan has on `device`.
  std::function<DeviceId(DeviceId device)> device_for_ops;
  // The device of weights that a plan has on `weights`, of a module whose ops go to `ops`.
  std::function<DeviceId(DeviceId weights, DeviceId ops)> device_for_weights;
  // The reasons of the target against a placement, by module.
  std::function<std::vector<Inexpressible>(const LayoutInput& rounded)> find_reasons;
};

// The ops of each module, those of the modules below it left out, by index: [num_modules].
[[nodiscard]] std::vector<std::vector<OpId>> OpsOfModules(const sim::ModuleTree& tree);

// The placement in which the ops of each module are where most of their time is under the plan
// (ties: most ops, then the first device), or where they have to follow what they read. Where
// `rules` still find a reason, the module that it names goes as a whole, all modules below it
// included, where most of their time is; at last the network does. Inputs go with the first op that
// reads them.
[[nodiscard]] sim::OpPlacement RoundToModules(const LayoutInput& input, const RoundingRules& rules);

}  // namespace opyard::experiments
