#include "experiments/plans/layouts/device_names.h"

#include <map>

#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::experiments {

std::size_t AcceleratorIndex(const sim::HardwareProfile& hardware, DeviceId device) {
  std::size_t index = 0;
  for (std::size_t d = 0; d < device.index(); ++d) {
    index += hardware.devices[d].kind == sim::DeviceKind::kCpu ? 0U : 1U;
  }
  return index;
}

bool IsCpu(const sim::HardwareProfile& hardware, DeviceId device) {
  return hardware.devices[device.index()].kind == sim::DeviceKind::kCpu;
}

std::string FrameworkName(const LayoutInput& input, DeviceId device, const std::string& prefix) {
  const sim::HardwareProfile& hardware = input.problem.hardware();
  const auto given = input.options.names.find(hardware.devices[device.index()].name);
  if (given != input.options.names.end()) {
    return given->second;
  }
  return IsCpu(hardware, device) ? "cpu"
                                 : prefix + std::to_string(AcceleratorIndex(hardware, device));
}

std::vector<DeviceId> UsedDevices(const LayoutInput& input) {
  std::vector<bool> is_used(input.problem.hardware().num_devices());
  for (std::size_t i = 0; i < input.roles.size(); ++i) {
    if (input.roles[i] != OpRole::kOutside) {
      is_used[input.plan.placement[i].index()] = true;
    }
  }
  std::vector<DeviceId> devices;
  for (std::size_t d = 0; d < is_used.size(); ++d) {
    if (is_used[d]) {
      devices.emplace_back(d);
    }
  }
  return devices;
}

void AddSharedNames(const LayoutInput& input,
                    const std::vector<DeviceId>& devices,
                    const std::string& prefix,
                    std::vector<Inexpressible>& reasons) {
  std::map<std::string, DeviceId> first;
  for (const DeviceId device : devices) {
    const std::string name = FrameworkName(input, device, prefix);
    const auto [at, is_new] = first.emplace(name, device);
    if (!is_new) {
      const auto& all = input.problem.hardware().devices;
      reasons.push_back(
          {.what = "devices " + all[at->second.index()].name + " and " + all[device.index()].name,
           .why = "both are " + name + " there; --names can give them other names"});
    }
  }
}

std::string VisibleDevices(const LayoutInput& input, const std::vector<DeviceId>& devices) {
  const sim::HardwareProfile& hardware = input.problem.hardware();
  bool is_same = true;
  std::vector<std::string> numbers;
  for (const DeviceId device : devices) {
    if (hardware.devices[device.index()].kind != sim::DeviceKind::kGpu) {
      return "";
    }
    const std::size_t index = AcceleratorIndex(hardware, device);
    is_same = is_same && index == numbers.size();
    numbers.push_back(std::to_string(index));
  }
  return is_same ? "" : "CUDA_VISIBLE_DEVICES=" + Joined(numbers, ",");
}

void CheckNames(const LayoutOptions& options,
                const sim::HardwareProfile& hardware,
                const std::string& option) {
  Diagnostics diagnostics;
  for (const auto& [device, name] : options.names) {
    if (!hardware.FindDevice(device).has_value()) {
      diagnostics.AddError(option,
                           "device " + Quoted(device) + " does not exist; this machine has " +
                               JoinNames(hardware.DeviceNames()));
    }
  }
  diagnostics.ThrowIfAny();
}

}  // namespace opyard::experiments
