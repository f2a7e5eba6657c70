#include "sim/io/machine/machine_yaml.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/io/machine/machine_links.h"
#include "sim/io/machine/machine_nodes.h"
#include "sim/io/machine/machine_words.h"
#include "sim/io/machine/memory_pools_yaml.h"
#include "sim/io/machine/provenance_yaml.h"
#include "sim/io/machine/yaml_fields.h"

namespace opyard::sim {
namespace {

// Reads one of `names`, which stand in the order of the enumerators.
template <class E, std::size_t kCount>
void ReadEnum(YamlMap& map,
              const std::string& key,
              const std::array<std::string_view, kCount>& names,
              E& target) {
  const YamlNode* node = map.Optional(key);
  const auto word =
      node == nullptr ? std::nullopt : map.reader().Choice(*node, {names.begin(), names.end()});
  if (word) {
    target = static_cast<E>(std::ranges::find(names, *word) - names.begin());
  }
}

void ReadTime(YamlMap& map, const std::string& key, SimTime& target) {
  if (const YamlNode* node = map.Optional(key)) {
    Assign(map.reader().Time(*node), target);
  }
}

void ReadExecution(YamlReader& reader, const YamlNode& node, HardwareProfile& machine) {
  YamlMap map(reader, node, "execution");
  ReadTime(map, "dispatch", machine.execution.dispatch);
  ReadTime(map, "gap_after_op", machine.execution.gap_after_op);
  if (const YamlNode* count = map.Optional("trailing_gaps_count")) {
    Assign(reader.Bool(*count), machine.execution.trailing_gaps_count);
  }
  ReadEnum(map, "streams", kStreamRuleWords, machine.execution.streams);
  if (machine.execution.streams == StreamRule::kParallel && machine.rules == Rules::kPlaceto) {
    reader.Problem(node, "streams: parallel is not simulated under rules placeto, expected serial");
  }
  map.Finish();
}

void ReadFusion(YamlReader& reader, const YamlNode& node, HardwareProfile& machine) {
  constexpr std::int64_t kMost = 1'000'000;
  YamlMap map(reader, node, "fusion");
  const auto read = [&](const std::string& key, std::int64_t low, std::int32_t& target) {
    const YamlNode* value = map.Optional(key);
    const auto number = value == nullptr ? std::nullopt : reader.Int(*value, low, kMost);
    target = number ? static_cast<std::int32_t>(*number) : target;
  };
  read("max_ops", 1, machine.fusion.max_ops);
  read("max_depth_span", 0, machine.fusion.max_depth_span);
  map.Finish();
}

void ReadChannels(YamlReader& reader, const YamlNode& node, ChannelKinds& channels) {
  const std::vector<YamlNode>* items = reader.Items(node, "channels: links, egress, ingress, pair");
  if (items == nullptr) {
    return;
  }
  if (items->empty()) {
    reader.Problem(node,
                   "no channels, expected at least one (`sharing: none` is for no contention)");
  }
  channels = {.links = false, .egress = false, .ingress = false, .pair = false};
  for (const YamlNode& item : *items) {
    const auto word = reader.Choice(item, {"links", "egress", "ingress", "pair"});
    if (!word) {
      continue;
    }
    bool& channel = *word == "links"     ? channels.links
                    : *word == "egress"  ? channels.egress
                    : *word == "ingress" ? channels.ingress
                                         : channels.pair;
    if (channel) {
      reader.Problem(item, "channel \"" + *word + "\" stands twice");
    }
    channel = true;
  }
}

void ReadTransfers(YamlReader& reader, const YamlNode& node, HardwareProfile& machine) {
  TransferRules& transfers = machine.transfers;
  YamlMap map(reader, node, "transfers");
  ReadEnum(map, "sharing", kSharingWords, transfers.sharing);
  const YamlNode* channels = map.Optional("channels");
  if (channels != nullptr) {
    ReadChannels(reader, *channels, transfers.channels);
  }
  ReadEnum(map, "one_per", kOnePerWords, transfers.one_per);
  ReadTime(map, "gap_after", transfers.gap_after);
  map.Finish();
  if (transfers.sharing == Sharing::kFair && transfers.one_per == OnePer::kOutput) {
    reader.Problem(node,
                   "found `one_per: output` with `sharing: fair`, expected destination or edge");
  }
  if (transfers.sharing != Sharing::kSerial &&
      (channels != nullptr || transfers.gap_after > SimTime{})) {
    reader.Warn(node, "channels and gap_after only matter with `sharing: serial`");
  }
}

void ReadMemory(YamlReader& reader, const YamlNode& node, HardwareProfile& machine) {
  constexpr double kMostReserve = 0.999;
  YamlMap map(reader, node, "memory");
  ReadEnum(map, "on_exceed", kOnExceedWords, machine.memory.on_exceed);
  if (const YamlNode* reserve = map.Optional("reserve")) {
    Assign(reader.Double(*reserve, 0.0, kMostReserve), machine.memory.reserve);
  }
  map.Finish();
}

void ReadRules(YamlMap& map, HardwareProfile& machine) {
  using ReadBlock = void (*)(YamlReader&, const YamlNode&, HardwareProfile&);
  const auto read = [&](const std::string& key, ReadBlock block) {
    if (const YamlNode* node = map.Optional(key)) {
      block(map.reader(), *node, machine);
    }
  };
  ReadEnum(map, "rules", kRulesWords, machine.rules);
  read("execution", ReadExecution);
  read("fusion", ReadFusion);
  read("transfers", ReadTransfers);
  read("memory", ReadMemory);
}

// A switch with fewer than two links forwards nothing.
void WarnAboutDeadEnds(YamlReader& reader, const YamlNode& node, const HardwareProfile& machine) {
  std::vector<int> num_links(machine.devices.size() + machine.switches.size());
  for (const Link& link : machine.links) {
    for (const NodeIndex end : link.between) {
      ++num_links[static_cast<std::size_t>(end)];
    }
  }
  for (std::size_t i = 0; i < machine.switches.size(); ++i) {
    if (num_links[machine.devices.size() + i] < 2) {
      reader.Warn(node, "switch \"" + machine.switches[i] + "\" has fewer than two links");
    }
  }
}

}  // namespace

HardwareProfile ReadMachine(YamlReader& reader,
                            const YamlNode& root,
                            const FindDeviceType& find_type) {
  HardwareProfile machine;
  YamlMap map(reader, root, "machine file");
  if (const YamlNode* version = map.Required("schema_version")) {
    static_cast<void>(reader.Int(*version, 1, 1));
  }
  if (const YamlNode* name = map.Required("name")) {
    machine.name = reader.Name(*name).value_or("");
  }
  ReadMemoryPools(map, machine);
  const MachineNodes nodes(map, find_type, machine);
  CheckMemoryPools(map, machine);
  const YamlNode* links = map.Optional("links");
  if (links != nullptr) {
    ReadLinks(reader, *links, nodes, machine);
  }
  if (const YamlNode* routes = map.Optional("routes")) {
    ReadRoutes(reader, *routes, nodes, machine);
  }
  ReadRules(map, machine);
  machine.provenance = ReadProvenance(map,
                                      {"devices",
                                       "memory_pools",
                                       "switches",
                                       "links",
                                       "routes",
                                       "execution",
                                       "fusion",
                                       "transfers",
                                       "memory"},
                                      {"memory_pools", "links", "routes", "execution"});
  map.Finish();
  if (const YamlNode* switches = map.Optional("switches"); switches && !reader.has_errors()) {
    WarnAboutDeadEnds(reader, *switches, machine);
  }
  CheckReachable(reader, links == nullptr ? root : *links, machine);
  return machine;
}

}  // namespace opyard::sim
