// A machine file: devices, switches, links, routes and the rules of its simulation.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "sim/hardware/hardware_profile.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

// Finds the device of a type. Adds errors at `node`, which names the type, if there is none or if
// its file is bad, and returns nothing.
using FindDeviceType = std::function<std::optional<Device>(
    YamlReader& reader, const YamlNode& node, const std::string& type)>;

// Reads the whole file. Without a `find_type` each device has to give all that a device file gives.
// The result is only good if the reader has no errors afterwards.
[[nodiscard]] HardwareProfile ReadMachine(YamlReader& reader,
                                          const YamlNode& root,
                                          const FindDeviceType& find_type);

}  // namespace opyard::sim
