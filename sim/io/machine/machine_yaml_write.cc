#include "sim/io/machine/machine_yaml_write.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/options.h"
#include "sim/io/machine/cost_yaml_write.h"
#include "sim/io/machine/flow_map.h"
#include "sim/io/machine/machine_words.h"

namespace opyard::sim {
namespace {

std::string PoolText(const MemoryPool& pool) {
  FlowMap map;
  map.Add("name", YamlString(pool.name))
      .Add("memory", std::to_string(pool.memory.count) + " B")
      .Add("bandwidth", pool.bandwidth_bytes_per_s, "B/s");
  return map.Text();
}

std::string DeviceText(const Device& device, const HardwareProfile& machine) {
  FlowMap peaks;
  for (const auto& [dtype, peak] : device.peak_flops_per_s) {
    peaks.Add(NameOf(dtype), peak, "FLOP/s");
  }
  FlowMap map;
  map.Add("name", YamlString(device.name))
      .Add("type", YamlString(device.type))
      .Add("kind", std::string(NameOf(device.kind)))
      .Add("memory", std::to_string(device.memory.count) + " B")
      .Add("memory_bandwidth", device.memory_bandwidth_bytes_per_s, "B/s")
      .Add("peak_flops", peaks)
      .Add("launch_overhead", device.launch_overhead_s, "s")
      .Add("cost", CostFlowMap(device.cost));
  if (device.copy_overhead_s > 0.0) {
    map.Add("copy_overhead", device.copy_overhead_s, "s");
  }
  if (device.copy_bandwidth_bytes_per_s > 0.0) {
    map.Add("copy_bandwidth", device.copy_bandwidth_bytes_per_s, "B/s");
  }
  if (device.memory_pool != Device::kNoMemoryPool) {
    const auto pool = static_cast<std::size_t>(device.memory_pool);
    map.Add("memory_pool", YamlString(machine.memory_pools[pool].name));
  }
  if (!device.unsupported.empty()) {
    std::vector<std::string> types;
    std::ranges::transform(device.unsupported, std::back_inserter(types), YamlString);
    map.Add("unsupported", ListOf(types));
  }
  return map.Text();
}

std::string LinkText(const Link& link, const HardwareProfile& machine) {
  std::vector<std::string> between;
  for (const NodeIndex node : link.between) {
    between.push_back(YamlString(machine.node_name(node)));
  }
  FlowMap map;
  map.Add("name", YamlString(link.name))
      .Add("between", ListOf(between))
      .Add("bandwidth", link.bandwidth_bytes_per_s, "B/s")
      .Add("latency", link.latency)
      .Add("duplex", std::string(link.duplex == Duplex::kHalf ? "half" : "full"));
  return map.Text();
}

std::string RouteText(const ExplicitRoute& route, const HardwareProfile& machine) {
  std::vector<std::string> via;
  for (const std::int32_t link : route.links) {
    via.push_back(YamlString(machine.links[static_cast<std::size_t>(link)].name));
  }
  FlowMap map;
  map.Add("from", YamlString(machine.devices[route.from.index()].name))
      .Add("to", YamlString(machine.devices[route.to.index()].name))
      .Add("via", ListOf(via));
  if (route.latency.has_value()) {
    map.Add("latency", *route.latency);
  }
  return map.Text();
}

std::string Truth(bool value) {
  return value ? "true" : "false";
}

FlowMap Transfers(const TransferRules& transfers) {
  std::vector<std::string> channels;
  for (const auto& [is_used, name] : {std::pair(transfers.channels.links, "links"),
                                      {transfers.channels.egress, "egress"},
                                      {transfers.channels.ingress, "ingress"},
                                      {transfers.channels.pair, "pair"}}) {
    if (is_used) {
      channels.emplace_back(name);
    }
  }
  FlowMap map;
  return map.Add("sharing", std::string(WordOf(kSharingWords, transfers.sharing)))
      .Add("channels", ListOf(channels))
      .Add("one_per", std::string(WordOf(kOnePerWords, transfers.one_per)))
      .Add("gap_after", transfers.gap_after);
}

std::string RulesText(const HardwareProfile& machine) {
  FlowMap execution;
  execution.Add("dispatch", machine.execution.dispatch)
      .Add("gap_after_op", machine.execution.gap_after_op)
      .Add("trailing_gaps_count", Truth(machine.execution.trailing_gaps_count));
  if (machine.execution.streams != StreamRule::kSerial) {
    execution.Add("streams", std::string(WordOf(kStreamRuleWords, machine.execution.streams)));
  }
  FlowMap fusion;
  fusion.Add("max_ops", std::to_string(machine.fusion.max_ops))
      .Add("max_depth_span", std::to_string(machine.fusion.max_depth_span));
  FlowMap memory;
  memory.Add("on_exceed", std::string(WordOf(kOnExceedWords, machine.memory.on_exceed)))
      .Add("reserve", machine.memory.reserve);
  return "rules: " + std::string(WordOf(kRulesWords, machine.rules)) +
         "\nexecution: " + execution.Text() + "\nfusion: " + fusion.Text() +
         "\ntransfers: " + Transfers(machine.transfers).Text() + "\nmemory: " + memory.Text() +
         "\n";
}

// `key` and a line for each of `items`; nothing for none.
template <class T, class ToLine>
std::string Section(const char* key, const std::vector<T>& items, const ToLine& to_line) {
  std::string text = items.empty() ? "" : std::string(key) + ":\n";
  for (const T& item : items) {
    text += "  - " + to_line(item) + "\n";
  }
  return text;
}

}  // namespace

std::string WriteMachineText(const HardwareProfile& machine) {
  return "schema_version: 1\nname: " + YamlString(machine.name) + "\n" +
         Section("memory_pools", machine.memory_pools, PoolText) +
         Section("devices",
                 machine.devices,
                 [&](const Device& device) { return DeviceText(device, machine); }) +
         Section("switches", machine.switches, YamlString) +
         Section(
             "links", machine.links, [&](const Link& link) { return LinkText(link, machine); }) +
         Section("routes",
                 machine.routes,
                 [&](const ExplicitRoute& route) { return RouteText(route, machine); }) +
         RulesText(machine);
}

}  // namespace opyard::sim
