// The least times of ops on classes of like devices, from which problem bounds are made.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/base/ids.h"
#include "sim/cost/cost_table.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::sim {

// A time beyond every makespan, of an op where it is not allowed; four of them fit 64 bits.
inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::max() / 4;

// Whether ops of the plans that a bound holds for may share kernels.
enum class KernelsOfPlans : std::uint8_t { kSingleOps, kFused };

// Plain data. The devices that run ops, in classes: every op takes as long on all devices of a
// class. Beyond kMostClasses there is one class for each kind of device, with the least times on
// it.
struct OpTimes {
  std::vector<std::vector<DeviceId>> classes;  // the devices of each class
  std::vector<std::int64_t> time_ps;   // [num_ops, num_classes] row-major; kNoTime: not allowed
  std::vector<std::int64_t> least_ps;  // [num_ops]: over the classes

  [[nodiscard]] std::size_t num_classes() const { return classes.size(); }
  [[nodiscard]] std::size_t num_ops() const { return least_ps.size(); }
  [[nodiscard]] std::int64_t time(std::size_t op, std::size_t device_class) const {
    return time_ps[op * classes.size() + device_class];
  }
};
inline constexpr std::size_t kMostClasses = 8;

// The time of each op; with KernelsOfPlans::kFused what it adds to its kernel at least
// (docs/modelling.md, section 8, "Bound"). REQUIRES: some device is allowed for each op.
[[nodiscard]] OpTimes LeastOpTimes(const OpGraph& graph,
                                   const HardwareProfile& hardware,
                                   const CostTable& costs,
                                   KernelsOfPlans kernels);

}  // namespace opyard::sim
