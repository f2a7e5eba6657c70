// The fields that links and shorthands of links have in common.
#pragma once

#include <optional>
#include <vector>

#include "sim/io/machine/link_topologies.h"
#include "sim/io/machine/machine_nodes.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

// The nodes of a list of names and patterns (MachineNodes::FindAll), in its order. Adds problems
// for names that are unknown or stand twice, and for fewer than two nodes.
[[nodiscard]] std::vector<NodeIndex> ReadEnds(YamlReader& reader,
                                              const YamlNode& list,
                                              const MachineNodes& nodes);

// `bandwidth` and `latency` of `map`. Nothing, and a problem, without a bandwidth above zero.
[[nodiscard]] std::optional<LinkFigures> ReadLinkFigures(YamlMap& map);

// `duplex` of `map`; nothing, and a problem, if it is neither full nor half.
[[nodiscard]] std::optional<Duplex> ReadDuplex(YamlMap& map);

}  // namespace opyard::sim
