#include "experiments/cli/subcommands/profile.h"

#include <variant>
#include <vector>

#include "experiments/cli/json/profile_answer.h"
#include "experiments/console/notice_printing.h"
#include "experiments/machines/profile_reading.h"
#include "experiments/machines/profile_text.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "sim/base/input_file.h"

namespace opyard::experiments {
int PrintProfileList(const ProfileListOptions& options, const Console& console) {
  std::vector<ListedProfile> profiles;
  TextTable table({{.title = "profile"}, {.title = "what"}, {.title = "kind"}});
  for (const sim::ShippedProfile& shipped : sim::ListShippedProfiles()) {
    const ProfileReading reading = ReadProfile(shipped.path.string());
    profiles.push_back({.name = shipped.name,
                        .what = WhatOf(reading),
                        .kind = std::string(sim::NameOf(KindOf(reading)))});
    table.AddRow({profiles.back().name, profiles.back().what, profiles.back().kind});
  }
  console.out << (options.json ? ProfileListJson(profiles) + "\n" : table.Text());
  return kSuccess;
}

int ValidateProfile(const ProfileOptions& options, const Console& console) {
  const ProfileReading reading = ReadProfile(options.profile);
  const std::vector<std::string>& warnings = WarningsOf(reading);
  if (options.json) {
    console.out << ProfileValidJson(reading) << '\n';
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
  if (options.json) {
    console.out << ProfileJson(reading) << '\n';
  } else if (const auto* machine = std::get_if<sim::MachineReading>(&reading)) {
    console.out << MachineText(*machine->machine);
  } else {
    console.out << DeviceText(std::get<sim::DeviceReading>(reading).device);
  }
  return kSuccess;
}

}  // namespace opyard::experiments
