#include "sim/io/machine/machine_nodes.h"

#include "sim/hardware/routes.h"
#include "sim/io/machine/device_yaml.h"
#include "sim/io/machine/memory_pools_yaml.h"
#include "sim/io/text/utf8.h"

namespace opyard::sim {
namespace {

constexpr std::size_t kMostSwitches = 4096;
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

}  // namespace

MachineNodes::MachineNodes(YamlMap& file,
                           const FindDeviceType& find_type,
                           HardwareProfile& machine) {
  YamlReader& reader = file.reader();
  const YamlNode* devices = file.Required("devices");
  const YamlNode* switches = file.Optional("switches");
  const std::vector<YamlNode>* entries =
      devices == nullptr ? nullptr : reader.Items(*devices, "devices");
  if (entries == nullptr) {
    is_complete_ = false;
  } else if (entries->empty()) {
    reader.Problem(*devices, "the list of devices is empty, expected at least one");
  } else {
    for (const YamlNode& entry : *entries) {
      ReadDeviceEntry(reader, entry, find_type, machine);
    }
  }
  num_devices_ = machine.devices.size();
  if (switches != nullptr) {
    ReadSwitches(reader, *switches, machine);
  }
}

void MachineNodes::ReadDeviceEntry(YamlReader& reader,
                                   const YamlNode& node,
                                   const FindDeviceType& find_type,
                                   HardwareProfile& machine) {
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
  device->memory_pool = ReadPoolOfDevice(map, machine);
  map.Finish();
  if (!name || (count_node != nullptr && !count)) {
    is_complete_ = false;
    return;
  }
  if (machine.devices.size() + static_cast<std::size_t>(count.value_or(1)) > kMostDevices) {
    reader.Problem(node,
                   "the machine has more than " + std::to_string(kMostDevices) +
                       " devices; larger ones are not simulated (routes are kept for each pair)");
    is_complete_ = false;
    return;
  }
  for (const std::string& numbered : NumberedNames(*name, count)) {
    device->name = numbered;
    AddNode(reader, *name_node, numbered);
    machine.devices.push_back(*device);
  }
}

void MachineNodes::ReadSwitches(YamlReader& reader,
                                const YamlNode& node,
                                HardwareProfile& machine) {
  const std::vector<YamlNode>* items = reader.Items(node, "switches");
  if (items == nullptr) {
    is_complete_ = false;
    return;
  }
  if (items->size() > kMostSwitches) {
    reader.Problem(node,
                   "the machine has more than " + std::to_string(kMostSwitches) + " switches");
    is_complete_ = false;
    return;
  }
  for (const YamlNode& item : *items) {
    if (const std::optional<std::string> name = reader.Name(item)) {
      AddNode(reader, item, *name);
      machine.switches.push_back(*name);
    } else {
      is_complete_ = false;
    }
  }
}

void MachineNodes::AddNode(YamlReader& reader, const YamlNode& node, const std::string& name) {
  if (!index_.emplace(name, static_cast<NodeIndex>(names_.size())).second) {
    reader.Problem(node, "the name \"" + ShownText(name) + "\" stands for two devices or switches");
  }
  names_.push_back(name);
}

std::optional<NodeIndex> MachineNodes::Find(YamlReader& reader, const YamlNode& name) const {
  const auto found = index_.find(name.text);
  if (name.kind == YamlNode::Kind::kScalar && found != index_.end()) {
    return found->second;
  }
  if (is_complete_) {
    const std::string hint = DidYouMean(name.text, names_);
    reader.Problem(name,
                   "found " + Describe(name) + ", expected a device or switch" +
                       (hint.empty() ? "; this machine has " + JoinNames(names_) : hint));
  }
  return std::nullopt;
}

std::optional<DeviceId> MachineNodes::FindDevice(YamlReader& reader, const YamlNode& name) const {
  const std::optional<NodeIndex> node = Find(reader, name);
  if (node && static_cast<std::size_t>(*node) >= num_devices_) {
    reader.Problem(name, "found the switch " + Describe(name) + ", expected a device");
    return std::nullopt;
  }
  return node ? std::optional(DeviceId(*node)) : std::nullopt;
}

}  // namespace opyard::sim
