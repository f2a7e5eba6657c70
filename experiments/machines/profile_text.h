// Devices and machines as `opyard profile show` prints them.
#pragma once

#include <string>

#include "sim/hardware/hardware_profile.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {

[[nodiscard]] std::string DeviceText(const sim::DeviceProfile& profile);
// With the rules of the simulation, and the matrices of bandwidth, latency and number of links of
// all routes, from rows to columns.
[[nodiscard]] std::string MachineText(const sim::HardwareProfile& machine);

}  // namespace opyard::experiments
