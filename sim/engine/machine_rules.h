// Which rules of a machine file this version simulates.
#pragma once

#include "sim/hardware/hardware_profile.h"

namespace opyard::sim {

// Throws UnsupportedError naming every rule of `hardware` that the engine does not simulate, with
// what it does instead.
void EnsureRulesAreSimulated(const HardwareProfile& hardware);

}  // namespace opyard::sim
