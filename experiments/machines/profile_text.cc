#include "experiments/machines/profile_text.h"

#include <algorithm>
#include <functional>
#include <ranges>
#include <string>
#include <vector>

#include "experiments/machines/machine_rules.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "sim/base/error.h"
#include "sim/hardware/routes.h"

namespace opyard::experiments {
namespace {

const char* NameOf(sim::ProvenanceKind kind) {
  switch (kind) {
    case sim::ProvenanceKind::kDatasheet:
      return "datasheet";
    case sim::ProvenanceKind::kMeasured:
      return "measured";
    case sim::ProvenanceKind::kFitted:
      return "fitted";
    case sim::ProvenanceKind::kAssumed:
      return "assumed";
  }
  return "";
}

std::string ProvenanceText(const std::vector<sim::Provenance>& provenance) {
  if (provenance.empty()) {
    return "";
  }
  TextTable table({{.title = "numbers"}, {.title = "from"}, {.title = "source"}});
  for (const sim::Provenance& entry : provenance) {
    table.AddRow({OneLine(entry.key), NameOf(entry.kind), OneLine(entry.source)});
  }
  return "\n" + table.Text();
}

std::string PeaksText(const sim::Device& device) {
  std::string text;
  for (const auto& [dtype, peak] : device.peak_flops_per_s) {
    text +=
        (text.empty() ? "" : ", ") + std::string(sim::NameOf(dtype)) + " " + Fixed(peak / 1e12, 2);
  }
  return text;
}

TextTable DeviceTable(const std::vector<sim::Device>& devices) {
  TextTable table({{.title = "device"},
                   {.title = "type"},
                   {.title = "kind"},
                   {.title = "memory", .align = Align::kRight},
                   {.title = "GB/s", .align = Align::kRight},
                   {.title = "launch", .align = Align::kRight},
                   {.title = "peak [TFLOP/s]"}});
  const TimeUnit unit = UnitOf(SimTime::FromSeconds(
      std::ranges::max(devices | std::views::transform(&sim::Device::launch_overhead_s))));
  for (const sim::Device& device : devices) {
    table.AddRow({OneLine(device.name),
                  OneLine(device.type),
                  std::string(sim::NameOf(device.kind)),
                  BytesText(device.memory),
                  Fixed(device.memory_bandwidth_bytes_per_s / 1e9, 1),
                  TimeText(SimTime::FromSeconds(device.launch_overhead_s), unit),
                  PeaksText(device)});
  }
  return table;
}

// "npu0 runs no ops of the types Conv2D, MaxPool", a line for each device.
std::string UnsupportedText(const std::vector<sim::Device>& devices) {
  std::string text;
  for (const sim::Device& device : devices) {
    if (!device.unsupported.empty()) {
      text += OneLine(device.name) + " runs no ops of the types " +
              OneLine(JoinNames(device.unsupported)) + "\n";
    }
  }
  return text;
}

// The memory pools and the devices of each; nothing for none.
std::string PoolsText(const sim::HardwareProfile& machine) {
  if (machine.memory_pools.empty()) {
    return "";
  }
  TextTable table({{.title = "memory pool"},
                   {.title = "memory", .align = Align::kRight},
                   {.title = "GB/s", .align = Align::kRight},
                   {.title = "devices"}});
  for (std::size_t i = 0; i < machine.memory_pools.size(); ++i) {
    const sim::MemoryPool& pool = machine.memory_pools[i];
    std::vector<std::string> names;
    for (const DeviceId device : machine.DevicesOfPool(i)) {
      names.push_back(machine.devices[device.index()].name);
    }
    table.AddRow({OneLine(pool.name),
                  BytesText(pool.memory),
                  Fixed(pool.bandwidth_bytes_per_s / 1e9, 1),
                  OneLine(JoinNames(names))});
  }
  return "\n" + table.Text();
}

// One figure of the route of every ordered pair; "—" where there is none.
std::string RouteMatrix(const sim::HardwareProfile& machine,
                        const sim::RouteTable& routes,
                        const std::string& title,
                        const std::function<std::string(const sim::Route&)>& figure) {
  std::vector<TextTable::Column> columns = {{.title = title}};
  for (const sim::Device& device : machine.devices) {
    columns.push_back({.title = OneLine(device.name), .align = Align::kRight});
  }
  TextTable table(std::move(columns));
  for (std::size_t src = 0; src < machine.num_devices(); ++src) {
    std::vector<std::string> row = {OneLine(machine.devices[src].name)};
    for (std::size_t dst = 0; dst < machine.num_devices(); ++dst) {
      const sim::Route* route = routes.Find(DeviceId{src}, DeviceId{dst});
      row.push_back(route == nullptr ? "—" : figure(*route));
    }
    table.AddRow(std::move(row));
  }
  return table.Text();
}

SimTime LongestLatency(const sim::HardwareProfile& machine, const sim::RouteTable& routes) {
  SimTime longest;
  for (std::size_t src = 0; src < machine.num_devices(); ++src) {
    for (std::size_t dst = 0; dst < machine.num_devices(); ++dst) {
      const sim::Route* route = routes.Find(DeviceId{src}, DeviceId{dst});
      longest = route == nullptr ? longest : std::max(longest, route->latency);
    }
  }
  return longest;
}

}  // namespace

std::string DeviceText(const sim::DeviceProfile& profile) {
  return DeviceTable({profile.device}).Text() + UnsupportedText({profile.device}) +
         ProvenanceText(profile.provenance);
}

std::string MachineText(const sim::HardwareProfile& machine) {
  const sim::RouteTable routes(machine);
  std::string text = OneLine(machine.name) + "\n" + DeviceTable(machine.devices).Text() +
                     UnsupportedText(machine.devices) + PoolsText(machine);
  if (machine.num_devices() > 1) {
    text += "\n" + RouteMatrix(machine, routes, "bandwidth [GB/s]", [](const sim::Route& route) {
              return Fixed(route.bandwidth_bytes_per_s / 1e9, 2);
            });
    const TimeUnit unit = UnitOf(LongestLatency(machine, routes));
    text += "\n" + RouteMatrix(machine, routes, "latency", [unit](const sim::Route& route) {
              return TimeText(route.latency, unit);
            });
    text += "\n" + RouteMatrix(machine, routes, "links passed", [](const sim::Route& route) {
              return std::to_string(route.hops.size());
            });
  }
  text += "\n" + RulesText(machine);
  return text + ProvenanceText(machine.provenance);
}

}  // namespace opyard::experiments
