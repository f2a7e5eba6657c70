#include "experiments/cli/profile.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/profile_authoring.h"
#include "experiments/cli/profile_calibration.h"
#include "experiments/cli/profile_diff.h"
#include "experiments/cli/profile_measuring.h"
#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/console/notice_printing.h"
#include "experiments/console/out_file.h"
#include "experiments/machines/machine_rules.h"
#include "experiments/machines/machine_svg.h"
#include "experiments/machines/profile_reading.h"
#include "experiments/machines/profile_text.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/hardware/routes.h"

namespace opyard::experiments {
namespace {

struct ProfileListOptions {
  bool json = false;
};
// The shipped devices and machines; a machine's kind is that of its first accelerator.
[[nodiscard]] int PrintProfileList(const ProfileListOptions& options, const Console& console);

struct ProfileOptions {
  std::string profile;  // a device or machine file, or the name of a shipped one
  bool json = false;
  std::string svg;  // `show` of a machine: the file of its drawing, or ""
};
// Reads a device or machine and prints what is odd about it. Throws InputError if it is wrong.
[[nodiscard]] int ValidateProfile(const ProfileOptions& options, const Console& console);

// Prints a profile: devices, matrices of route bandwidth and latency, where its numbers come from.
// Draws a machine if a file is given.
[[nodiscard]] int ShowProfile(const ProfileOptions& options, const Console& console);

// A shipped profile.
struct ListedProfile {
  std::string name;
  std::string what;  // "device" or "machine"
  std::string kind;  // "gpu"
};

// The answer with --json.
[[nodiscard]] std::string ProfileListJson(const std::vector<ListedProfile>& profiles);

// The oddities of a valid profile.
[[nodiscard]] std::string ProfileValidJson(const ProfileReading& reading);

// The same content as that of profile_text.h; units stand in the keys.
[[nodiscard]] std::string ProfileJson(const ProfileReading& reading);

std::shared_ptr<ProfileOptions> AddProfileSubcommand(CLI::App& group,
                                                     Command& command,
                                                     const SubcommandHelp& help,
                                                     int (*run)(const ProfileOptions&,
                                                                const Console&)) {
  CLI::App& subcommand = AddSubcommand(group, help);
  const auto options = std::make_shared<ProfileOptions>();
  subcommand.add_option("profile", options->profile, "device or machine: file or name")
      ->required()
      ->type_name("PROFILE");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, run);
  return options;
}

// `opyard profile show`.
void AddShowSubcommand(CLI::App& group, Command& command) {
  const auto options =
      AddProfileSubcommand(group,
                           command,
                           {.name = "show",
                            .summary = "devices, routes, sources and a drawing of a profile",
                            .examples = "  opyard profile show p100x2-pcie --json\n"
                                        "  opyard profile show v100x8-dgx1 --svg dgx1.svg"},
                           &ShowProfile);
  group.get_subcommand("show")
      ->add_option("--svg", options->svg, "file to write: a drawing of the machine")
      ->type_name("FILE");
}

}  // namespace

void AddProfileArguments(CLI::App& app, Command& command) {
  CLI::App& group = AddSubcommandGroup(app,
                                       {.name = "profile",
                                        .summary = "hardware profiles",
                                        .examples = "  opyard profile show p100x2-pcie"});
  CLI::App& list = AddSubcommand(group,
                                 {.name = "list",
                                  .summary = "the shipped devices and machines",
                                  .examples = "  opyard profile list"});
  const auto options = std::make_shared<ProfileListOptions>();
  AddJson(list, options->json);
  Choose(list, command, options, &PrintProfileList);
  AddProfileSubcommand(group,
                       command,
                       {.name = "validate",
                        .summary = "check a device or machine file",
                        .examples = "  opyard profile validate machines/mine.yaml"},
                       &ValidateProfile);
  AddShowSubcommand(group, command);
  AddProfileDiffArguments(group, command);
  AddProfileAuthoringArguments(group, command);
  AddProfileMeasureArguments(group, command);
  AddProfileFitTraceArguments(group, command);
  AddProfileCalibrateArguments(group, command);
  AddProfileScoreArguments(group, command);
}

namespace {

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

// Throws InputError for a device.
void WriteDrawing(const ProfileReading& reading, const OutFile& out) {
  const auto* machine = std::get_if<sim::MachineReading>(&reading);
  if (machine == nullptr) {
    throw InputError("opyard profile show --svg: found a device, expected a machine");
  }
  out.Write(MachineSvg(*machine->machine));
}

int ShowProfile(const ProfileOptions& options, const Console& console) {
  const OutFile svg(options.svg, console);
  if (options.json) {
    svg.RefuseJson("--svg");
  }
  const ProfileReading reading = ReadProfile(options.profile);
  for (const std::string& warning : WarningsOf(reading)) {
    PrintNotice({.kind = NoticeKind::kWarning, .text = OneLine(warning) + "\n"}, console.err);
  }
  if (!options.svg.empty()) {
    WriteDrawing(reading, svg);
  }
  if (options.json) {
    svg.text() << ProfileJson(reading) << '\n';
  } else if (const auto* machine = std::get_if<sim::MachineReading>(&reading)) {
    svg.text() << MachineText(*machine->machine);
  } else {
    svg.text() << DeviceText(std::get<sim::DeviceReading>(reading).device);
  }
  return kSuccess;
}

using Json = nlohmann::ordered_json;

Json DeviceJson(const sim::Device& device) {
  Json peaks = Json::object();
  for (const auto& [dtype, peak] : device.peak_flops_per_s) {
    peaks[std::string(sim::NameOf(dtype))] = peak;
  }
  return {{"name", device.name},
          {"type", device.type},
          {"kind", sim::NameOf(device.kind)},
          {"memory_bytes", device.memory.count},
          {"memory_bandwidth_bytes_per_s", device.memory_bandwidth_bytes_per_s},
          {"peak_flops_per_s", std::move(peaks)},
          {"unsupported", device.unsupported},
          {"launch_overhead_s", device.launch_overhead_s},
          {"copy_overhead_s", device.copy_overhead_s},
          {"copy_bandwidth_bytes_per_s", device.copy_bandwidth_bytes_per_s}};
}

Json HopsJson(const sim::HardwareProfile& machine, const sim::Route& route) {
  Json hops = Json::array();
  for (const sim::LinkDirection& hop : route.hops) {
    hops.push_back(machine.links[static_cast<std::size_t>(hop.link)].name);
  }
  return hops;
}

Json RoutesJson(const sim::HardwareProfile& machine) {
  const sim::RouteTable table(machine);
  Json routes = Json::array();
  for (std::size_t src = 0; src < machine.num_devices(); ++src) {
    for (std::size_t dst = 0; dst < machine.num_devices(); ++dst) {
      if (const sim::Route* route = table.Find(DeviceId{src}, DeviceId{dst})) {
        routes.push_back({{"from", machine.devices[src].name},
                          {"to", machine.devices[dst].name},
                          {"via", HopsJson(machine, *route)},
                          {"bandwidth_bytes_per_s", route->bandwidth_bytes_per_s},
                          {"latency_s", route->latency.seconds()}});
      }
    }
  }
  return routes;
}

Json DeviceProfileJson(const sim::DeviceProfile& profile) {
  Json json = DeviceJson(profile.device);
  json["what"] = "device";
  return json;
}

// With the memory pool that the device names, if it names one.
Json DeviceJsonOf(const sim::HardwareProfile& machine, const sim::Device& device) {
  Json json = DeviceJson(device);
  if (device.memory_pool != sim::Device::kNoMemoryPool) {
    json["memory_pool"] = machine.memory_pools[static_cast<std::size_t>(device.memory_pool)].name;
  }
  return json;
}

Json MemoryPoolsJson(const sim::HardwareProfile& machine) {
  Json pools = Json::array();
  for (const sim::MemoryPool& pool : machine.memory_pools) {
    pools.push_back({{"name", pool.name},
                     {"memory_bytes", pool.memory.count},
                     {"bandwidth_bytes_per_s", pool.bandwidth_bytes_per_s}});
  }
  return pools;
}

Json MachineJson(const sim::HardwareProfile& machine) {
  Json devices = Json::array();
  for (const sim::Device& device : machine.devices) {
    devices.push_back(DeviceJsonOf(machine, device));
  }
  Json json = {{"name", machine.name},
               {"what", "machine"},
               {"kind", sim::NameOf(KindOf(machine))},
               {"devices", std::move(devices)},
               {"routes", RoutesJson(machine)}};
  if (!machine.memory_pools.empty()) {
    json["memory_pools"] = MemoryPoolsJson(machine);
  }
  json.update(RulesJson(machine));
  return json;
}

std::string ProfileListJson(const std::vector<ListedProfile>& profiles) {
  Json json = Json::array();
  for (const ListedProfile& profile : profiles) {
    json.push_back({{"name", profile.name}, {"what", profile.what}, {"kind", profile.kind}});
  }
  return json.dump();
}

std::string ProfileValidJson(const ProfileReading& reading) {
  const Json json = {{"name", NameOf(reading)},
                     {"what", WhatOf(reading)},
                     {"valid", true},
                     {"warnings", WarningsOf(reading)}};
  return json.dump();
}

std::string ProfileJson(const ProfileReading& reading) {
  const auto* machine = std::get_if<sim::MachineReading>(&reading);
  return (machine != nullptr ? MachineJson(*machine->machine)
                             : DeviceProfileJson(std::get<sim::DeviceReading>(reading).device))
      .dump();
}

}  // namespace
}  // namespace opyard::experiments
