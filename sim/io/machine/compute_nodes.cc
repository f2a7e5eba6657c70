#include "sim/io/machine/compute_nodes.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "sim/hardware/routes.h"
#include "sim/io/machine/machine_links.h"
#include "sim/io/text/utf8.h"

namespace opyard::sim {
namespace {

// NAME, or NAME0 and so on if the entry has a count. Empty, with problems added, if one is bad.
std::vector<std::string> ReadCopyNames(YamlMap& map) {
  YamlReader& reader = map.reader();
  const YamlNode* name_node = map.Required("name");
  const YamlNode* count_node = map.Optional("count");
  const auto name = name_node == nullptr ? std::nullopt : reader.Name(*name_node);
  const auto count = count_node == nullptr
                         ? std::nullopt
                         : reader.Int(*count_node, 1, static_cast<std::int64_t>(kMostDevices));
  if (!name || (count_node != nullptr && !count)) {
    return {};
  }
  if (!count) {
    return {*name};
  }
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < *count; ++i) {
    names.push_back(*name + std::to_string(i));
  }
  return names;
}

// The keys of an entry beside its name and count. False if names of nodes are not known.
bool ReadBox(YamlMap& map, const FindDeviceType& find_type, HardwareProfile& box) {
  MachineNodes nodes(box);
  const YamlNode* devices = map.Required("devices");
  const YamlNode* switches = map.Optional("switches");
  const YamlNode* links = map.Optional("links");
  if (devices != nullptr) {
    nodes.ReadDevices(map.reader(), *devices, find_type);
  }
  if (switches != nullptr) {
    nodes.ReadSwitches(map.reader(), *switches);
  }
  if (links != nullptr) {
    ReadLinks(map.reader(), *links, nodes, box);
  }
  return devices != nullptr && nodes.is_complete();
}

using AddCopy = std::function<bool(const ComputeNodeEntry& entry, const std::string& prefix)>;

// Calls `add` for each copy of each entry, until it returns false.
void ForEachCopy(const std::vector<ComputeNodeEntry>& entries, const AddCopy& add) {
  for (const ComputeNodeEntry& entry : entries) {
    for (const std::string& name : entry.names) {
      if (!add(entry, name + ".")) {
        return;
      }
    }
  }
}

// Of all copies together.
LinkCounts CountLinks(const std::vector<ComputeNodeEntry>& entries) {
  LinkCounts counts;
  for (const ComputeNodeEntry& entry : entries) {
    const std::size_t num_ends =
        std::transform_reduce(entry.box.links.begin(),
                              entry.box.links.end(),
                              std::size_t{0},
                              std::plus<>(),
                              [](const Link& link) { return link.between.size(); });
    counts.num_links += entry.names.size() * entry.box.links.size();
    counts.num_ends += entry.names.size() * num_ends;
  }
  return counts;
}

// The link of a copy. An end whose node is not there (the machine is too large) is left out.
Link CopyOf(const Link& link,
            const HardwareProfile& box,
            const std::string& prefix,
            const MachineNodes& nodes) {
  Link copy = link;
  copy.name = prefix + link.name;
  copy.between.clear();
  for (const NodeIndex end : link.between) {
    if (const auto node = nodes.FindName(prefix + box.node_name(end))) {
      copy.between.push_back(*node);
    }
  }
  return copy;
}

}  // namespace

std::vector<ComputeNodeEntry> ReadComputeNodes(YamlReader& reader,
                                               const YamlNode& list,
                                               const FindDeviceType& find_type) {
  std::vector<ComputeNodeEntry> entries;
  const std::vector<YamlNode>* items = reader.Items(list, "nodes");
  if (items == nullptr) {
    return entries;
  }
  std::set<std::string> seen;
  for (const YamlNode& item : *items) {
    ComputeNodeEntry entry{.place = &item};
    YamlMap map(reader, item, "node");
    entry.names = ReadCopyNames(map);
    entry.is_complete = ReadBox(map, find_type, entry.box) && !entry.names.empty();
    map.Finish();
    for (const std::string& name : entry.names) {
      if (!seen.insert(name).second) {
        reader.Problem(item, "two nodes are called \"" + ShownText(name) + "\"");
      }
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

void AddDevicesOf(YamlReader& reader,
                  const std::vector<ComputeNodeEntry>& entries,
                  MachineNodes& nodes) {
  if (!std::ranges::all_of(entries, &ComputeNodeEntry::is_complete)) {
    nodes.MarkIncomplete();
  }
  ForEachCopy(entries, [&](const ComputeNodeEntry& entry, const std::string& prefix) {
    if (!nodes.HasRoomForDevices(reader, *entry.place, entry.box.devices.size())) {
      return false;
    }
    for (Device device : entry.box.devices) {
      device.name.insert(0, prefix);
      nodes.AddDevice(reader, *entry.place, std::move(device));
    }
    return true;
  });
}

void AddSwitchesOf(YamlReader& reader,
                   const std::vector<ComputeNodeEntry>& entries,
                   MachineNodes& nodes) {
  ForEachCopy(entries, [&](const ComputeNodeEntry& entry, const std::string& prefix) {
    if (!nodes.HasRoomForSwitches(reader, *entry.place, entry.box.switches.size())) {
      return false;
    }
    for (const std::string& name : entry.box.switches) {
      nodes.AddSwitch(reader, *entry.place, prefix + name);
    }
    return true;
  });
}

void AddLinksOf(YamlReader& reader,
                const std::vector<ComputeNodeEntry>& entries,
                const MachineNodes& nodes,
                HardwareProfile& machine) {
  if (entries.empty() || !AreFewLinks(reader, *entries.front().place, CountLinks(entries))) {
    return;
  }
  ForEachCopy(entries, [&](const ComputeNodeEntry& entry, const std::string& prefix) {
    for (const Link& link : entry.box.links) {
      machine.links.push_back(CopyOf(link, entry.box, prefix, nodes));
    }
    return true;
  });
}

}  // namespace opyard::sim
