// The links and routes of a machine file.
#pragma once

#include "sim/hardware/hardware_profile.h"
#include "sim/io/machine/machine_nodes.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

// Reads the list `node` into `machine.links`.
void ReadLinks(YamlReader& reader,
               const YamlNode& node,
               const MachineNodes& nodes,
               HardwareProfile& machine);

// Reads the list `node` into `machine.routes`; `machine.links` must be complete.
void ReadRoutes(YamlReader& reader,
                const YamlNode& node,
                const MachineNodes& nodes,
                HardwareProfile& machine);

// Adds a problem at `place` if two devices cannot reach each other (unless the rules are REGAL's,
// whose transfers use no links), or if the latencies of a route do not fit.
void CheckReachable(YamlReader& reader, const YamlNode& place, const HardwareProfile& machine);

}  // namespace opyard::sim
