// The fields of a device, as they stand in device files and, as overrides, in machine files.
#pragma once

#include <cstdint>

#include "sim/hardware/device.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

enum class DeviceFields : std::uint8_t {
  kWhole,  // a device file, or a machine that needs none: the required fields must be there, the
           // cost starts from its kind's
  kOverrides,  // a machine file: what is given replaces what `device` holds, key by key
};

// Reads kind, memory, memory_bandwidth, peak_flops, launch_overhead and cost from `map` into
// `device`. Problems and warnings (implausible values) go to the reader of `map`.
void ReadDeviceFields(YamlMap& map, DeviceFields which, Device& device);

}  // namespace opyard::sim
