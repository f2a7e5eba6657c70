// The `nodes:` of a machine file: boxes of devices, switches and links that may stand several
// times.
#pragma once

#include <string>
#include <vector>

#include "sim/hardware/hardware_profile.h"
#include "sim/io/machine/machine_nodes.h"
#include "sim/io/machine/machine_yaml.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

// One entry, read once however often it stands. `box` has its devices, switches and links under the
// names of the entry; ends of links are indices within it.
struct ComputeNodeEntry {
  std::vector<std::string> names;  // of its copies: "node0", "node1"
  HardwareProfile box;
  bool is_complete = true;  // false if names of copies or nodes are not known
  const YamlNode* place = nullptr;
};

// Adds problems for what is wrong in them. REQUIRES: `list` outlives the result.
[[nodiscard]] std::vector<ComputeNodeEntry> ReadComputeNodes(YamlReader& reader,
                                                             const YamlNode& list,
                                                             const FindDeviceType& find_type);

// Add what all copies have, as "COPY.NAME". Devices of all entries are added before the first
// switch, and switches before the links.
void AddDevicesOf(YamlReader& reader,
                  const std::vector<ComputeNodeEntry>& entries,
                  MachineNodes& nodes);
void AddSwitchesOf(YamlReader& reader,
                   const std::vector<ComputeNodeEntry>& entries,
                   MachineNodes& nodes);
void AddLinksOf(YamlReader& reader,
                const std::vector<ComputeNodeEntry>& entries,
                const MachineNodes& nodes,
                HardwareProfile& machine);

}  // namespace opyard::sim
