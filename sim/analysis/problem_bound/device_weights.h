// Weights of classes of devices that make the most of their work in a bound.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/analysis/problem_bound/op_times.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::sim {

// [num_classes] each: all devices alike; for each kind of device the devices of it alone; and last
// the weights that a search for the greatest bound finds. For any weights λ a makespan is at least
// Σ_op min_k λ_k t(op, k) / Σ_k λ_k n_k (docs/modelling.md, section 5).
[[nodiscard]] std::vector<std::vector<std::int64_t>> DeviceWeights(const OpTimes& times,
                                                                   const HardwareProfile& hardware);

}  // namespace opyard::sim
