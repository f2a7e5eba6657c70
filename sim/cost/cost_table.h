// The costs of all ops on all devices, computed once per problem.
#pragma once

#include <memory>
#include <vector>

#include "sim/cost/cost_model.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::sim {

// Immutable; shared between threads. Ops cost something on every device, allowed there or not: what
// is allowed is IsAllowedOn's business.
class CostTable {
 public:
  // Throws InputError naming the op and device if a cost does not fit SimTime, or if the ops one
  // after another do not. Devices that cost alike share a row: O(ops · distinct devices).
  CostTable(const OpGraph& graph, const HardwareProfile& hardware, const CostModel& model);

  [[nodiscard]] const OpCost& cost(OpId op, DeviceId device) const;
  // The duration in whole picoseconds: cost().total_s, rounded once.
  [[nodiscard]] SimTime time(OpId op, DeviceId device) const;
  // True if every op takes as long on `a` as on `b`, fused or not, measured times included.
  [[nodiscard]] bool CostAlike(DeviceId a, DeviceId b) const {
    return class_of_device_[a.index()] == class_of_device_[b.index()];
  }
  // Mean over the devices that allow `op`; 0 if none does.
  [[nodiscard]] double MeanSeconds(OpId op) const { return mean_seconds_[op.index()]; }

 private:
  [[nodiscard]] double MeanOver(const std::vector<Device>& devices, const Op& op, OpId id) const;
  [[nodiscard]] std::size_t Slot(OpId op, DeviceId device) const {
    return op.index() * num_classes_ + static_cast<std::size_t>(class_of_device_[device.index()]);
  }

  std::vector<std::int32_t> class_of_device_;  // devices that cost alike share a class
  std::size_t num_classes_ = 0;
  std::vector<OpCost> costs_;   // [num_ops, num_classes] row-major
  std::vector<SimTime> times_;  // the same
  std::vector<double> mean_seconds_;
};

}  // namespace opyard::sim
