#include "sim/hardware/hardware_profile.h"

#include <algorithm>
#include <cmath>

namespace opyard::sim {

std::optional<DeviceId> HardwareProfile::FindDevice(const std::string& device_name) const {
  const auto found = std::ranges::find(devices, device_name, &Device::name);
  if (found == devices.end()) {
    return std::nullopt;
  }
  return DeviceId(static_cast<std::size_t>(found - devices.begin()));
}

const std::string& HardwareProfile::node_name(NodeIndex node) const {
  const auto index = static_cast<std::size_t>(node);
  return index < devices.size() ? devices[index].name : switches[index - devices.size()];
}

Bytes HardwareProfile::capacity(DeviceId device) const {
  const Bytes whole = devices[device.index()].memory;
  if (memory.reserve == 0.0) {
    return whole;  // exact, also beyond the 53 bits of a double
  }
  return Bytes{static_cast<std::int64_t>(
      std::floor(static_cast<double>(whole.count) * (1.0 - memory.reserve)))};
}

std::vector<std::string> HardwareProfile::DeviceNames() const {
  std::vector<std::string> names;
  names.reserve(devices.size());
  for (const Device& device : devices) {
    names.push_back(device.name);
  }
  return names;
}

}  // namespace opyard::sim
