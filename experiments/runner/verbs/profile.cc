#include "experiments/runner/verbs/profile.h"

#include <nlohmann/json.hpp>

#include "experiments/runner/console/notice_printing.h"
#include "experiments/runner/machines/profile_reading.h"
#include "experiments/runner/machines/profile_text.h"
#include "experiments/text/figures.h"
#include "experiments/text/table.h"
#include "sim/base/input_file.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string>& WarningsOf(const ProfileReading& reading) {
  return std::visit([](const auto& profile) -> const auto& { return profile.warnings; }, reading);
}

sim::DeviceKind KindOfReading(const ProfileReading& reading) {
  if (const auto* machine = std::get_if<sim::MachineReading>(&reading)) {
    return KindOf(*machine->machine);
  }
  return std::get<sim::DeviceReading>(reading).device.device.kind;
}

const std::string& NameOfReading(const ProfileReading& reading) {
  if (const auto* machine = std::get_if<sim::MachineReading>(&reading)) {
    return machine->machine->name;
  }
  return std::get<sim::DeviceReading>(reading).device.device.name;
}

const char* WhatOf(const ProfileReading& reading) {
  return std::holds_alternative<sim::MachineReading>(reading) ? "machine" : "device";
}

}  // namespace

int PrintProfileList(const ProfileListOptions& options, const Console& console) {
  Json json = Json::array();
  TextTable table({{.title = "profile"}, {.title = "what"}, {.title = "kind"}});
  for (const sim::ShippedProfile& shipped : sim::ListShippedProfiles()) {
    const ProfileReading reading = ReadProfile(shipped.path.string());
    const std::string kind(sim::NameOf(KindOfReading(reading)));
    json.push_back({{"name", shipped.name}, {"what", WhatOf(reading)}, {"kind", kind}});
    table.AddRow({shipped.name, WhatOf(reading), kind});
  }
  console.out << (options.json ? json.dump() + "\n" : table.Text());
  return kSuccess;
}

int ValidateProfile(const ProfileOptions& options, const Console& console) {
  const ProfileReading reading = ReadProfile(options.profile);
  const std::vector<std::string>& warnings = WarningsOf(reading);
  if (options.json) {
    const Json json = {{"name", NameOfReading(reading)},
                       {"what", WhatOf(reading)},
                       {"valid", true},
                       {"warnings", warnings}};
    console.out << json.dump() << '\n';
    return kSuccess;
  }
  for (const std::string& warning : warnings) {
    PrintNotice({.kind = NoticeKind::kWarning, .text = OneLine(warning) + "\n"}, console.err);
  }
  console.out << OneLine(InputName(options.profile)) << ": a valid " << WhatOf(reading) << ", "
              << warnings.size() << " warnings\n";
  return kSuccess;
}

int ShowProfile(const ProfileOptions& options, const Console& console) {
  const ProfileReading reading = ReadProfile(options.profile);
  for (const std::string& warning : WarningsOf(reading)) {
    PrintNotice({.kind = NoticeKind::kWarning, .text = OneLine(warning) + "\n"}, console.err);
  }
  if (const auto* machine = std::get_if<sim::MachineReading>(&reading)) {
    console.out << (options.json ? MachineJson(*machine->machine) + "\n"
                                 : MachineText(*machine->machine));
  } else {
    const sim::DeviceProfile& device = std::get<sim::DeviceReading>(reading).device;
    console.out << (options.json ? DeviceJson(device) + "\n" : DeviceText(device));
  }
  return kSuccess;
}

}  // namespace opyard::experiments
