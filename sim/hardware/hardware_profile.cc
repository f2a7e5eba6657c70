#include "sim/hardware/hardware_profile.h"

#include <algorithm>
#include <cmath>

namespace opyard::sim {
namespace {

Bytes WithoutReserve(Bytes whole, double reserve) {
  if (reserve == 0.0) {
    return whole;  // exact, also beyond the 53 bits of a double
  }
  return Bytes{
      static_cast<std::int64_t>(std::floor(static_cast<double>(whole.count) * (1.0 - reserve)))};
}

}  // namespace

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
  const Device& described = devices[device.index()];
  return described.memory_pool == Device::kNoMemoryPool
             ? WithoutReserve(described.memory, memory.reserve)
             : pool_capacity(static_cast<std::size_t>(described.memory_pool));
}

Bytes HardwareProfile::pool_capacity(std::size_t pool) const {
  return WithoutReserve(memory_pools[pool].memory, memory.reserve);
}

std::vector<DeviceId> HardwareProfile::DevicesOfPool(std::size_t pool) const {
  std::vector<DeviceId> members;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (devices[d].memory_pool == static_cast<std::int32_t>(pool)) {
      members.emplace_back(d);
    }
  }
  return members;
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
