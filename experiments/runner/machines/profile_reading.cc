#include "experiments/runner/machines/profile_reading.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/io/yaml.h"

namespace opyard::experiments {
namespace {

bool IsMachineFile(const std::filesystem::path& path) {
  ProblemList problems;
  const std::optional<sim::YamlNode> root = sim::ReadYamlFile(path, problems);
  if (!root.has_value()) {
    problems.ThrowIfAny();
  }
  return root.has_value() && root->Find("devices") != nullptr;
}

ProfileReading Read(const std::filesystem::path& path, bool is_machine) {
  if (is_machine) {
    return sim::ReadMachineFile(path);
  }
  return sim::ReadDeviceFile(path);
}

}  // namespace

ProfileReading ReadProfile(const std::string& reference) {
  if (reference.ends_with(".yaml") || reference.find('/') != std::string::npos) {
    return Read(reference, IsMachineFile(reference));
  }
  std::vector<std::string> names;
  for (const sim::ShippedProfile& shipped : sim::ListShippedProfiles()) {
    if (shipped.name == reference) {
      return Read(shipped.path, shipped.is_machine);
    }
    names.push_back(shipped.name);
  }
  throw InputError("found the profile " + Quoted(reference) + DidYouMean(reference, names) +
                   ", expected a file (.yaml) or one of " + JoinNames(names));
}

sim::DeviceKind KindOf(const sim::HardwareProfile& machine) {
  const auto accelerator = std::ranges::find_if(machine.devices, [](const sim::Device& device) {
    return device.kind != sim::DeviceKind::kCpu;
  });
  return accelerator == machine.devices.end() ? sim::DeviceKind::kCpu : accelerator->kind;
}

}  // namespace opyard::experiments
