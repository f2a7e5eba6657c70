// The memories that devices of a machine file share.
#pragma once

#include <cstdint>

#include "sim/hardware/hardware_profile.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

// Reads `memory_pools` of `file` into `machine`, before its devices, which name them.
void ReadMemoryPools(YamlMap& file, HardwareProfile& machine);

// The pool that the entry `device` names with `memory_pool`; Device::kNoMemoryPool if it names
// none, or, as a problem, one that the machine lacks.
[[nodiscard]] std::int32_t ReadPoolOfDevice(YamlMap& device, const HardwareProfile& machine);

// Adds a problem for each pool without devices, and for each that is slower than one of them alone.
void CheckMemoryPools(YamlMap& file, const HardwareProfile& machine);

}  // namespace opyard::sim
