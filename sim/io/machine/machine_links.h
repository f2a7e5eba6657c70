// The links and routes of a machine file.
#pragma once

#include <cstddef>

#include "sim/hardware/hardware_profile.h"
#include "sim/io/machine/machine_nodes.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

struct LinkCounts {
  std::size_t num_links = 0;
  std::size_t num_ends = 0;  // of all links together
};
// False, and a problem at `place`, if a machine may not have as many.
bool AreFewLinks(YamlReader& reader, const YamlNode& place, const LinkCounts& counts);

// Reads the list `node` into `machine.links`, after those that are there. Shorthands of topologies
// add switches, which entries below them may name.
void ReadLinks(YamlReader& reader,
               const YamlNode& node,
               MachineNodes& nodes,
               HardwareProfile& machine);

// Reads the list `node` into `machine.routes`; `machine.links` must be complete.
void ReadRoutes(YamlReader& reader,
                const YamlNode& node,
                const MachineNodes& nodes,
                HardwareProfile& machine);

// Adds a problem at `place` if two devices cannot reach each other (unless the rules are REGAL's,
// whose transfers use no links), or if the latencies of a route do not fit; warns about a route
// that is far from its way back.
void CheckReachable(YamlReader& reader, const YamlNode& place, const HardwareProfile& machine);

}  // namespace opyard::sim
