#include "experiments/plans/layouts/module_placement.h"

#include <cstddef>

#include "experiments/text/number_format.h"
#include "sim/base/array_index.h"

namespace opyard::experiments {

void DeviceSpread::Add(OpId op, DeviceId device) {
  if (num_devices_ == 0) {
    num_devices_ = 1;
    first_op_ = op;
    first_device_ = device;
  } else if (num_devices_ == 1 && device != first_device_) {
    num_devices_ = 2;
    other_op_ = op;
    other_device_ = device;
  }
}

std::string DeviceSpread::Text(const sim::OpGraph& graph,
                               const sim::HardwareProfile& hardware) const {
  const auto text = [&](DeviceId device, OpId op) {
    return hardware.devices[device.index()].name + " (op " + OneLine(graph.op(op).name) + ")";
  };
  return text(first_device_, first_op_) + " and " + text(other_device_, other_op_);
}

bool ModuleDevices::is_one() const {
  return !empty() && !is_mixed() &&
         (compute.empty() || weights.empty() || compute.device() == weights.device());
}

ModulePlacement PlacementOf(const sim::ModuleTree& tree,
                            const std::vector<OpRole>& roles,
                            const sim::OpPlacement& placement) {
  ModulePlacement devices;
  devices.own.resize(tree.modules.size());
  devices.whole.resize(tree.modules.size());
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (roles[i] == OpRole::kOutside) {
      continue;
    }
    const auto add = [&](ModuleDevices& module) {
      (IsCompute(roles[i]) ? module.compute : module.weights).Add(OpId(i), placement[i]);
    };
    add(devices.own[At(tree.module_of[i])]);
    for (std::int32_t at = tree.module_of[i]; at >= 0; at = tree.modules[At(at)].parent) {
      add(devices.whole[At(at)]);
    }
  }
  return devices;
}

}  // namespace opyard::experiments
