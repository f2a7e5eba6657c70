// Writes a machine as one YAML text that needs no device files.
#pragma once

#include <string>

#include "sim/hardware/hardware_profile.h"

namespace opyard::sim {

// Everything that the simulator reads of `machine`, to the last bit; equal machines give equal
// texts. ReadMachineText (profile_yaml.h) turns it into an equal machine. Provenance is left out.
// REQUIRES: `machine` is one that a file may describe.
[[nodiscard]] std::string WriteMachineText(const HardwareProfile& machine);

}  // namespace opyard::sim
