#include "experiments/cli/json/profile_answer.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "experiments/machines/machine_rules.h"
#include "sim/hardware/routes.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const sim::Device& device) {
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
          {"launch_overhead_s", device.launch_overhead_s}};
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

Json ToJson(const sim::DeviceProfile& profile) {
  Json json = ToJson(profile.device);
  json["what"] = "device";
  return json;
}

Json ToJson(const sim::HardwareProfile& machine) {
  Json devices = Json::array();
  for (const sim::Device& device : machine.devices) {
    devices.push_back(ToJson(device));
  }
  Json json = {{"name", machine.name},
               {"what", "machine"},
               {"kind", sim::NameOf(KindOf(machine))},
               {"devices", std::move(devices)},
               {"routes", RoutesJson(machine)}};
  json.update(RulesJson(machine));
  return json;
}

}  // namespace

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
  return (machine != nullptr ? ToJson(*machine->machine)
                             : ToJson(std::get<sim::DeviceReading>(reading).device))
      .dump();
}

}  // namespace opyard::experiments
