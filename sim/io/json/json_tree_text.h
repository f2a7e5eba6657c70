// A value of a JsonTree as JSON text again.
#pragma once

#include <cstdint>
#include <string>

#include "sim/io/json/json_tree.h"

namespace opyard::sim {

// The value of `tree` at `index` as JSON in one line, without the key that it may have. Numbers
// beyond 64 bits become the nearest double. Recurses as deep as the parser allows, 32 levels.
[[nodiscard]] std::string JsonTextOf(const JsonTree& tree, std::uint32_t index);

}  // namespace opyard::sim
