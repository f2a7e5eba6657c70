// The devices and switches of a machine file, and their names.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "sim/hardware/hardware_profile.h"
#include "sim/io/machine/machine_yaml.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

// Names of nodes while the file is read.
class MachineNodes {
 public:
  // Reads `devices` and `switches` of `file` into `machine`.
  MachineNodes(YamlMap& file, const FindDeviceType& find_type, HardwareProfile& machine);

  // The node that `name` names. Adds a problem there if there is none.
  [[nodiscard]] std::optional<NodeIndex> Find(YamlReader& reader, const YamlNode& name) const;
  // The same for a device; a switch is a problem.
  [[nodiscard]] std::optional<DeviceId> FindDevice(YamlReader& reader, const YamlNode& name) const;

 private:
  void ReadDeviceEntry(YamlReader& reader,
                       const YamlNode& node,
                       const FindDeviceType& find_type,
                       HardwareProfile& machine);
  void ReadSwitches(YamlReader& reader, const YamlNode& node, HardwareProfile& machine);
  // Adds a problem if the name is taken.
  void AddNode(YamlReader& reader, const YamlNode& node, const std::string& name);

  std::map<std::string, NodeIndex> index_;  // by name
  std::vector<std::string> names_;
  std::size_t num_devices_ = 0;
  bool is_complete_ = true;  // false if a bad entry left names unknown
};

}  // namespace opyard::sim
