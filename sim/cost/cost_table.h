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
  // Throws InputError naming the op and device if a cost does not fit SimTime.
  CostTable(const OpGraph& graph, const HardwareProfile& hardware, const CostModel& model);

  [[nodiscard]] const OpCost& cost(OpId op, DeviceId device) const;
  // The duration in whole picoseconds: cost().total_s, rounded once.
  [[nodiscard]] SimTime time(OpId op, DeviceId device) const;
  // Mean over the devices that allow `op`.
  [[nodiscard]] double MeanSeconds(OpId op) const { return mean_seconds_[op.index()]; }

 private:
  std::vector<std::int32_t> class_of_device_;  // devices that cost alike share a class
  std::size_t num_classes_ = 0;
  std::vector<OpCost> costs_;   // [num_ops, num_classes] row-major
  std::vector<SimTime> times_;  // the same
  std::vector<double> mean_seconds_;
};

}  // namespace opyard::sim
