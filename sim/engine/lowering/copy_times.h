// The times that copies take from the ops of devices.
#pragma once

#include <span>
#include <vector>

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::sim {

// [num_devices]; empty where no device has any.
[[nodiscard]] std::vector<CopyOverhead> CopyOverheadsOf(const HardwareProfile& hardware);

// The most that one copy of `bytes` takes from the ops of its two devices, in picoseconds.
[[nodiscard]] double LongestOverheadPs(std::span<const CopyOverhead> overheads, double bytes);

}  // namespace opyard::sim
