// The devices and switches of a machine file, and their names.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/hardware/hardware_profile.h"
#include "sim/io/machine/machine_yaml.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

// Names of nodes while the file, or one entry of its `nodes`, is read. Devices are all added before
// the first switch: a node's index is its place among both.
class MachineNodes {
 public:
  // REQUIRES: `machine` outlives this, and only this adds devices and switches to it.
  explicit MachineNodes(HardwareProfile& machine) : machine_(&machine) {}

  // Each reads a list into the machine.
  void ReadDevices(YamlReader& reader, const YamlNode& list, const FindDeviceType& find_type);
  void ReadSwitches(YamlReader& reader, const YamlNode& list);

  // False, and a problem at `place`, if the machine has no room for `count` more.
  bool HasRoomForDevices(YamlReader& reader, const YamlNode& place, std::size_t count);
  bool HasRoomForSwitches(YamlReader& reader, const YamlNode& place, std::size_t count);
  // Each adds one node, and a problem at `place` if its name is taken or too long. REQUIRES: room.
  void AddDevice(YamlReader& reader, const YamlNode& place, Device device);
  void AddSwitch(YamlReader& reader, const YamlNode& place, const std::string& name);
  // Some names are not known, since their entry was refused: no name is reported as unknown.
  void MarkIncomplete() { is_complete_ = false; }
  [[nodiscard]] bool is_complete() const { return is_complete_; }

  [[nodiscard]] std::optional<NodeIndex> FindName(const std::string& name) const;
  // The node that `name` names. Adds a problem there if there is none.
  [[nodiscard]] std::optional<NodeIndex> Find(YamlReader& reader, const YamlNode& name) const;
  // The nodes that match `pattern`, in their order: each `*` in it stands for any characters but
  // dots. A name that a node has matches that one alone. Adds a problem if there is none.
  [[nodiscard]] std::vector<NodeIndex> FindAll(YamlReader& reader, const YamlNode& pattern) const;
  // The same as Find for a device; a switch is a problem.
  [[nodiscard]] std::optional<DeviceId> FindDevice(YamlReader& reader, const YamlNode& name) const;

  [[nodiscard]] const std::string& name(NodeIndex node) const {
    return names_[static_cast<std::size_t>(node)];
  }
  [[nodiscard]] std::size_t num_nodes() const { return names_.size(); }

 private:
  void ReadDeviceEntry(YamlReader& reader, const YamlNode& node, const FindDeviceType& find_type);
  void AddName(YamlReader& reader, const YamlNode& place, const std::string& name);
  void ReportUnknown(YamlReader& reader, const YamlNode& name) const;

  HardwareProfile* machine_;
  std::map<std::string, NodeIndex> index_;  // by name
  std::vector<std::string> names_;
  bool is_complete_ = true;
};

}  // namespace opyard::sim
