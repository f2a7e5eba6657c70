#include "experiments/machines/profile_reading.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::experiments {
namespace {

bool IsPath(std::string_view reference) {
  return reference == "-" || reference.ends_with(".yaml") ||
         reference.find('/') != std::string_view::npos;
}

}  // namespace

ProfileReading ReadProfile(const std::string& reference) {
  if (IsPath(reference)) {
    return sim::ReadProfileFile(reference);
  }
  std::vector<std::string> names;
  for (const sim::ShippedProfile& shipped : sim::ListShippedProfiles()) {
    if (shipped.name == reference) {
      return sim::ReadProfileFile(shipped.path);
    }
    names.push_back(shipped.name);
  }
  throw InputError("found the profile " + Quoted(reference) + DidYouMean(reference, names) +
                   ", expected a file (.yaml) or one of " + JoinNames(names));
}

const std::string& NameOf(const ProfileReading& reading) {
  if (const auto* machine = std::get_if<sim::MachineReading>(&reading)) {
    return machine->machine->name;
  }
  return std::get<sim::DeviceReading>(reading).device.device.name;
}

const char* WhatOf(const ProfileReading& reading) {
  return std::holds_alternative<sim::MachineReading>(reading) ? "machine" : "device";
}

sim::DeviceKind KindOf(const ProfileReading& reading) {
  if (const auto* machine = std::get_if<sim::MachineReading>(&reading)) {
    return KindOf(*machine->machine);
  }
  return std::get<sim::DeviceReading>(reading).device.device.kind;
}

const std::vector<std::string>& WarningsOf(const ProfileReading& reading) {
  return std::visit([](const auto& profile) -> const auto& { return profile.warnings; }, reading);
}

sim::DeviceKind KindOf(const sim::HardwareProfile& machine) {
  const auto accelerator = std::ranges::find_if(machine.devices, [](const sim::Device& device) {
    return device.kind != sim::DeviceKind::kCpu;
  });
  return accelerator == machine.devices.end() ? sim::DeviceKind::kCpu : accelerator->kind;
}

}  // namespace opyard::experiments
