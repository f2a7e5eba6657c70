// The devices of modules under a placement of ops.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/plans/layouts/op_roles.h"
#include "sim/base/ids.h"
#include "sim/graph/modules.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// The work on a device: picoseconds, then ops, so that of equal times more ops are more.
using DeviceLoad = std::array<std::int64_t, 2>;

// The devices of some ops: none, one, or several, of which two are shown by an op each.
class DeviceSpread {
 public:
  void Add(OpId op, DeviceId device);

  [[nodiscard]] bool empty() const { return num_devices_ == 0; }
  [[nodiscard]] bool is_one() const { return num_devices_ == 1; }
  [[nodiscard]] bool is_mixed() const { return num_devices_ == 2; }
  // REQUIRES: is_one().
  [[nodiscard]] DeviceId device() const { return first_device_; }
  // "gpu0 (op q) and gpu1 (op k)". REQUIRES: is_mixed().
  [[nodiscard]] std::string Text(const sim::OpGraph& graph,
                                 const sim::HardwareProfile& hardware) const;

 private:
  int num_devices_ = 0;  // 2 stands for more, too
  OpId first_op_;
  DeviceId first_device_;
  OpId other_op_;
  DeviceId other_device_;
};

// The devices of a module: of its forward and backward ops, and of its weights with their updates.
// Inputs of the network count in neither.
struct ModuleDevices {
  DeviceSpread compute;
  DeviceSpread weights;

  [[nodiscard]] bool empty() const { return compute.empty() && weights.empty(); }
  [[nodiscard]] bool is_mixed() const { return compute.is_mixed() || weights.is_mixed(); }
  // True if all ops are on one device.
  [[nodiscard]] bool is_one() const;
  // REQUIRES: is_one().
  [[nodiscard]] DeviceId device() const {
    return compute.empty() ? weights.device() : compute.device();
  }
};

struct ModulePlacement {
  std::vector<ModuleDevices> own;    // [num_modules]: of ops whose innermost module it is
  std::vector<ModuleDevices> whole;  // [num_modules]: of these and of the modules below
};

// O(ops · depth).
[[nodiscard]] ModulePlacement PlacementOf(const sim::ModuleTree& tree,
                                          const std::vector<OpRole>& roles,
                                          const sim::OpPlacement& placement);

}  // namespace opyard::experiments
