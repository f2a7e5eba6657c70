// A machine as a drawing.
#pragma once

#include <string>

#include "sim/hardware/hardware_profile.h"

namespace opyard::experiments {

// An SVG file: devices by kind, switches, buses and links, which are coloured by bandwidth, latency
// and duplex, with a legend; their bandwidth stands beside them unless they are many. Equal
// machines give equal files.
[[nodiscard]] std::string MachineSvg(const sim::HardwareProfile& machine);

}  // namespace opyard::experiments
