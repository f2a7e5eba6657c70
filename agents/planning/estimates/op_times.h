// The time of each op on each device, as planners count it.
#pragma once

#include <vector>

#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace opyard::agents {

// Immutable. [num_ops, num_devices]
class OpTimes {
 public:
  // Each op a kernel of its own: the problem's cost table, as published planners see it.
  [[nodiscard]] static OpTimes Alone(const env::Problem& problem);
  // Each op its share of the kernel that it is fused into where all ops stand on one device and
  // fuse by the problem's default: the kernel's time there, divided like the times of its ops
  // alone. Where nothing fuses, the same as Alone. What a placement then tears apart takes longer.
  [[nodiscard]] static OpTimes Fused(const env::Problem& problem);

  [[nodiscard]] SimTime time(OpId op, DeviceId device) const {
    return times_[op.index() * num_devices_ + device.index()];
  }

 private:
  explicit OpTimes(const env::Problem& problem);

  std::size_t num_devices_;
  std::vector<SimTime> times_;
};

}  // namespace opyard::agents
