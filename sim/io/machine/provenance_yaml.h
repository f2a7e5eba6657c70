// The `provenance:` block of a profile: where its numbers come from.
#pragma once

#include <string>
#include <vector>

#include "sim/hardware/hardware_profile.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

// Reads the block of `file`, if it has one. Each key is a dotted path into the file, items of lists
// by their name: "links.nv01"; its first word must be one of `keys`. Warns about paths that the
// file does not have, about assumed numbers, and about those of `expected` that the file has
// without saying where they come from.
[[nodiscard]] std::vector<Provenance> ReadProvenance(YamlMap& file,
                                                     const std::vector<std::string>& keys,
                                                     const std::vector<std::string>& expected);

}  // namespace opyard::sim
