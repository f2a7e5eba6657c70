#include "experiments/machines/profile_difference.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "experiments/machines/quantity_text.h"
#include "sim/base/error.h"
#include "sim/hardware/routes.h"
#include "sim/io/machine/machine_yaml_write.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::experiments {
namespace {

// One item of a list of a profile, or the profile itself with "" for both.
struct ItemKey {
  std::string section;
  std::string name;
  friend auto operator<=>(const ItemKey&, const ItemKey&) = default;
};
using ItemValues = std::map<std::string, std::string>;  // by dotted key

// A profile, taken apart: its items in their order, and the values of each.
struct FlatProfile {
  std::vector<ItemKey> items;
  std::map<ItemKey, ItemValues> values;
};

std::string ListText(const sim::YamlNode& list) {
  std::string text;
  for (const sim::YamlNode& item : list.items) {
    text += (text.empty() ? "" : ", ") + item.text;
  }
  return "[" + text + "]";
}

void Flatten(const sim::YamlNode& node, const std::string& key, ItemValues& values) {
  if (node.kind == sim::YamlNode::Kind::kSequence) {
    values[key] = ListText(node);
    return;
  }
  if (node.kind != sim::YamlNode::Kind::kMap) {
    values[key] = node.text;
    return;
  }
  for (const sim::YamlNode::Entry& entry : node.entries) {
    Flatten(entry.value, key.empty() ? entry.key : key + "." + entry.key, values);
  }
}

// The name of an item: of a route its ends.
std::string NameOfItem(const sim::YamlNode& item) {
  if (const sim::YamlNode* name = item.Find("name")) {
    return name->text;
  }
  const sim::YamlNode* from = item.Find("from");
  const sim::YamlNode* to = item.Find("to");
  return from != nullptr && to != nullptr ? from->text + "->" + to->text : item.text;
}

void AddItem(const std::string& section, const sim::YamlNode& item, FlatProfile& profile) {
  const ItemKey key{.section = section, .name = NameOfItem(item)};
  profile.items.push_back(key);
  ItemValues& values = profile.values[key];
  for (const sim::YamlNode::Entry& entry : item.entries) {
    if (entry.key != "name" && entry.key != "from" && entry.key != "to") {
      Flatten(entry.value, entry.key, values);
    }
  }
}

// A machine in the words of its file, every default written out.
FlatProfile FlatMachine(const sim::HardwareProfile& machine) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  constexpr std::size_t kMostValues = 10'000'000;
  Diagnostics diagnostics;
  const std::optional<sim::YamlNode> root =
      sim::ParseYaml(sim::WriteMachineText(machine),
                     machine.name,
                     diagnostics,
                     {.bytes = kMostBytes, .values = kMostValues, .text_bytes = kMostBytes});
  diagnostics.ThrowIfAny();
  FlatProfile profile;
  for (const sim::YamlNode::Entry& entry : root.value().entries) {
    if (entry.key == "name" || entry.key == "schema_version") {
      continue;
    }
    if (entry.value.kind != sim::YamlNode::Kind::kSequence) {
      Flatten(entry.value, entry.key, profile.values[ItemKey{}]);
    }
    for (const sim::YamlNode& item : entry.value.items) {
      AddItem(entry.key, item, profile);
    }
  }
  return profile;
}

// The same machine in one of the ways to write it: without routes that are the cheapest anyway, the
// ends of a bus in the order of the nodes.
sim::HardwareProfile Normalised(sim::HardwareProfile machine) {
  const auto given = std::exchange(machine.routes, {});
  if (!given.empty()) {
    const sim::RouteTable cheapest(machine);
    for (const sim::ExplicitRoute& route : given) {
      const sim::Route* other = cheapest.Find(route.from, route.to);
      const bool is_alike = other != nullptr &&
                            other->latency == route.latency.value_or(other->latency) &&
                            sim::FollowLinks(machine, route) == other->hops;
      if (!is_alike) {
        machine.routes.push_back(route);
      }
    }
  }
  for (sim::Link& link : machine.links) {
    if (link.duplex == sim::Duplex::kHalf) {
      std::ranges::sort(link.between);
    }
  }
  return machine;
}

// A device is compared as the only one of a machine; its name and type, which are those of its
// file, do not count.
FlatProfile FlatDevice(const sim::DeviceProfile& profile) {
  sim::HardwareProfile machine{.name = "device", .devices = {profile.device}};
  machine.devices.front().name = "device";
  machine.devices.front().type = "device";
  FlatProfile flat = FlatMachine(machine);
  const ItemKey device = flat.items.front();
  return {.items = {}, .values = {{ItemKey{}, flat.values.at(device)}}};
}

FlatProfile FlatOf(const ProfileReading& reading) {
  if (const auto* machine = std::get_if<sim::MachineReading>(&reading)) {
    return FlatMachine(Normalised(*machine->machine));
  }
  return FlatDevice(std::get<sim::DeviceReading>(reading).device);
}

// Adds the change to one of the same values and key in the same section, if there is one.
class ChangeList {
 public:
  explicit ChangeList(std::vector<ProfileChange>& changes) : changes_(&changes) {}

  void Add(const ItemKey& item, const std::string& key, std::string before, std::string after) {
    const auto [found, is_new] =
        index_.try_emplace(std::tuple(item.section, key, before, after), changes_->size());
    if (is_new) {
      changes_->push_back({.section = item.section,
                           .names = {},
                           .key = key,
                           .before = std::move(before),
                           .after = std::move(after)});
    }
    if (!item.name.empty()) {
      (*changes_)[found->second].names.push_back(item.name);
    }
  }

 private:
  std::vector<ProfileChange>* changes_;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::size_t> index_;
};

std::string ValueOf(const ItemValues& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? "" : found->second;
}

void CompareItem(const ItemKey& item,
                 const ItemValues& before,
                 const ItemValues& after,
                 ChangeList& changes) {
  std::set<std::string> keys;
  for (const ItemValues* values : {&before, &after}) {
    for (const auto& [key, value] : *values) {
      keys.insert(key);
    }
  }
  for (const std::string& key : keys) {
    const std::string old_value = ValueOf(before, key);
    const std::string new_value = ValueOf(after, key);
    if (old_value != new_value) {
      changes.Add(item, key, old_value, new_value);
    }
  }
}

// The items of `profile` that `other` has, too, and the places of the others.
std::vector<ItemKey> SplitItems(const FlatProfile& profile,
                                const FlatProfile& other,
                                std::vector<std::string>& only_here) {
  std::vector<ItemKey> common;
  for (const ItemKey& item : profile.items) {
    if (other.values.contains(item)) {
      common.push_back(item);
    } else {
      only_here.push_back(item.section + "." + item.name);
    }
  }
  return common;
}

}  // namespace

ProfileDifference CompareProfiles(const ProfileReading& before, const ProfileReading& after) {
  if (before.index() != after.index()) {
    throw InputError(std::string("found a ") + WhatOf(before) + " and a " + WhatOf(after) +
                     ", expected two devices or two machines");
  }
  const FlatProfile old_profile = FlatOf(before);
  const FlatProfile new_profile = FlatOf(after);
  ProfileDifference difference;
  const auto common = SplitItems(old_profile, new_profile, difference.only_before);
  const auto other_order = SplitItems(new_profile, old_profile, difference.only_after);
  difference.has_other_order = common != other_order;
  ChangeList changes(difference.changes);
  CompareItem({}, old_profile.values.at({}), new_profile.values.at({}), changes);
  for (const ItemKey& item : common) {
    CompareItem(item, old_profile.values.at(item), new_profile.values.at(item), changes);
  }
  return difference;
}

std::string PlaceText(const ProfileChange& change) {
  return change.names.empty() ? change.key
                              : change.section + "." + JoinNames(change.names) + ": " + change.key;
}

std::string BeforeText(const ProfileChange& change) {
  const bool is_alike = QuantityText(change.before) == QuantityText(change.after);
  return is_alike ? change.before : QuantityText(change.before);
}

std::string AfterText(const ProfileChange& change) {
  const bool is_alike = QuantityText(change.before) == QuantityText(change.after);
  return is_alike ? change.after : QuantityText(change.after);
}

}  // namespace opyard::experiments
