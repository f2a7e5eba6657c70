#include "sim/io/machine/machine_nodes.h"

#include <string_view>
#include <utility>

#include "sim/hardware/routes.h"
#include "sim/io/machine/device_yaml.h"
#include "sim/io/machine/memory_pools_yaml.h"
#include "sim/io/text/utf8.h"

namespace opyard::sim {
namespace {

constexpr std::size_t kMostSwitches = 4096;
// As long as a name in a file may be.
constexpr std::size_t kLongestNodeName = 128;
constexpr std::int64_t kMostCount = 65'536;

// NAME0 … NAME(count − 1), or NAME itself without a count.
std::vector<std::string> NumberedNames(const std::string& name, std::optional<std::int64_t> count) {
  if (!count) {
    return {name};
  }
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < *count; ++i) {
    names.push_back(name + std::to_string(i));
  }
  return names;
}

// True if `name` matches `pattern`, whose asterisks stand for any characters but dots.
bool MatchesPattern(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t asterisk = std::string_view::npos;  // the last one passed
  std::size_t resume = 0;                         // where the name goes on if that takes one more
  std::size_t i = 0;
  while (i < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      asterisk = at++;
      resume = i;
    } else if (at < pattern.size() && pattern[at] == name[i]) {
      ++at;
      ++i;
    } else if (asterisk != std::string_view::npos && name[resume] != '.') {
      at = asterisk + 1;
      i = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

}  // namespace

void MachineNodes::ReadDevices(YamlReader& reader,
                               const YamlNode& list,
                               const FindDeviceType& find_type) {
  const std::vector<YamlNode>* entries = reader.Items(list, "devices");
  if (entries == nullptr) {
    MarkIncomplete();
    return;
  }
  if (entries->empty()) {
    reader.Problem(list, "the list of devices is empty, expected at least one");
  }
  for (const YamlNode& entry : *entries) {
    ReadDeviceEntry(reader, entry, find_type);
  }
}

void MachineNodes::ReadDeviceEntry(YamlReader& reader,
                                   const YamlNode& node,
                                   const FindDeviceType& find_type) {
  YamlMap map(reader, node, "device");
  const YamlNode* name_node = map.Required("name");
  const YamlNode* type_node = map.Required("type");
  const YamlNode* count_node = map.Optional("count");
  const auto name = name_node == nullptr ? std::nullopt : reader.Name(*name_node);
  const auto type = type_node == nullptr ? std::nullopt : reader.Name(*type_node);
  const auto count = count_node == nullptr ? std::nullopt : reader.Int(*count_node, 1, kMostCount);
  std::optional<Device> device =
      type && find_type ? find_type(reader, *type_node, *type) : std::nullopt;
  if (!device) {
    // Whole below; or only so that the names are known, in a file that is refused anyway.
    device.emplace().type = type.value_or("");
  }
  ReadDeviceFields(map, find_type ? DeviceFields::kOverrides : DeviceFields::kWhole, *device);
  device->memory_pool = ReadPoolOfDevice(map, *machine_);
  map.Finish();
  if (!name || (count_node != nullptr && !count)) {
    MarkIncomplete();
    return;
  }
  if (!HasRoomForDevices(reader, node, static_cast<std::size_t>(count.value_or(1)))) {
    return;
  }
  for (const std::string& numbered : NumberedNames(*name, count)) {
    device->name = numbered;
    AddDevice(reader, *name_node, *device);
  }
}

void MachineNodes::ReadSwitches(YamlReader& reader, const YamlNode& list) {
  const std::vector<YamlNode>* items = reader.Items(list, "switches");
  if (items == nullptr) {
    MarkIncomplete();
    return;
  }
  if (!HasRoomForSwitches(reader, list, items->size())) {
    return;
  }
  for (const YamlNode& item : *items) {
    if (const std::optional<std::string> name = reader.Name(item)) {
      AddSwitch(reader, item, *name);
    } else {
      MarkIncomplete();
    }
  }
}

bool MachineNodes::HasRoomForDevices(YamlReader& reader, const YamlNode& place, std::size_t count) {
  const bool has_room = machine_->devices.size() + count <= kMostDevices;
  if (!has_room) {
    reader.Problem(place,
                   "the machine has more than " + std::to_string(kMostDevices) +
                       " devices; larger ones are not simulated (routes are kept for each pair)");
    MarkIncomplete();
  }
  return has_room;
}

bool MachineNodes::HasRoomForSwitches(YamlReader& reader,
                                      const YamlNode& place,
                                      std::size_t count) {
  const bool has_room = machine_->switches.size() + count <= kMostSwitches;
  if (!has_room) {
    reader.Problem(place,
                   "the machine has more than " + std::to_string(kMostSwitches) + " switches");
    MarkIncomplete();
  }
  return has_room;
}

void MachineNodes::AddDevice(YamlReader& reader, const YamlNode& place, Device device) {
  AddName(reader, place, device.name);
  machine_->devices.push_back(std::move(device));
}

void MachineNodes::AddSwitch(YamlReader& reader, const YamlNode& place, const std::string& name) {
  AddName(reader, place, name);
  machine_->switches.push_back(name);
}

void MachineNodes::AddName(YamlReader& reader, const YamlNode& place, const std::string& name) {
  if (name.size() > kLongestNodeName) {
    reader.Problem(place, "the name \"" + ShownText(name) + "\" has more than 128 bytes");
  }
  if (!index_.emplace(name, static_cast<NodeIndex>(names_.size())).second) {
    reader.Problem(place,
                   "the name \"" + ShownText(name) + "\" stands for two devices or switches");
  }
  names_.push_back(name);
}

void MachineNodes::ReportUnknown(YamlReader& reader, const YamlNode& name) const {
  if (is_complete_) {
    const std::string hint = DidYouMean(name.text, names_);
    reader.Problem(name,
                   "found " + Describe(name) + ", expected a device or switch" +
                       (hint.empty() ? "; this machine has " + JoinNames(names_) : hint));
  }
}

std::optional<NodeIndex> MachineNodes::FindName(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<NodeIndex> MachineNodes::Find(YamlReader& reader, const YamlNode& name) const {
  const bool is_scalar = name.kind == YamlNode::Kind::kScalar;
  const std::optional<NodeIndex> found = is_scalar ? FindName(name.text) : std::nullopt;
  if (!found) {
    ReportUnknown(reader, name);
  }
  return found;
}

std::vector<NodeIndex> MachineNodes::FindAll(YamlReader& reader, const YamlNode& pattern) const {
  const bool is_pattern = pattern.kind == YamlNode::Kind::kScalar &&
                          !index_.contains(pattern.text) &&
                          pattern.text.find('*') != std::string::npos;
  if (!is_pattern) {
    const std::optional<NodeIndex> node = Find(reader, pattern);
    return node ? std::vector{*node} : std::vector<NodeIndex>{};
  }
  std::vector<NodeIndex> nodes;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (MatchesPattern(pattern.text, names_[i])) {
      nodes.push_back(static_cast<NodeIndex>(i));
    }
  }
  if (nodes.empty()) {
    ReportUnknown(reader, pattern);
  }
  return nodes;
}

std::optional<DeviceId> MachineNodes::FindDevice(YamlReader& reader, const YamlNode& name) const {
  const std::optional<NodeIndex> node = Find(reader, name);
  if (node && static_cast<std::size_t>(*node) >= machine_->devices.size()) {
    reader.Problem(name, "found the switch " + Describe(name) + ", expected a device");
    return std::nullopt;
  }
  return node ? std::optional(DeviceId(*node)) : std::nullopt;
}

}  // namespace opyard::sim
