#include <nlohmann/json.hpp>

#include "experiments/runner/machines/machine_rules.h"
#include "experiments/runner/machines/profile_reading.h"
#include "experiments/runner/machines/profile_text.h"
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

}  // namespace

std::string DeviceJson(const sim::DeviceProfile& profile) {
  Json json = ToJson(profile.device);
  json["what"] = "device";
  return json.dump();
}

std::string MachineJson(const sim::HardwareProfile& machine) {
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
  return json.dump();
}

}  // namespace opyard::experiments
