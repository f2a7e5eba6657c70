// The call order of the computations of a module.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graphs/importers/hlo/hlo_module.h"

namespace opyard::graphs {

// The computations that ENTRY reaches, callees before callers. Throws InputError, naming `place`,
// if one calls itself, or if calls nest beyond 128 levels, as what opens them is recursive.
// O(instructions).
[[nodiscard]] std::vector<std::size_t> CalleesFirst(const HloModule& module,
                                                    const std::string& place);

}  // namespace opyard::graphs
