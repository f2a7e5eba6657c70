// Shorthands in the `links:` of a machine file: entries with a `topology`.
#pragma once

#include <optional>

#include "sim/io/machine/link_topologies.h"
#include "sim/io/machine/machine_nodes.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

// Reads one entry. Nothing, with problems added, unless it can be expanded: members that fit the
// topology and its shape, at most `most_links` links.
[[nodiscard]] std::optional<TopologyEntry> ReadTopology(YamlReader& reader,
                                                        const YamlNode& node,
                                                        const MachineNodes& nodes,
                                                        std::size_t most_links);

}  // namespace opyard::sim
