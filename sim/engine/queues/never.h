// The time of what does not happen.
#pragma once

#include <cstdint>
#include <limits>

namespace opyard::sim {

// In picoseconds, later than any other.
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

}  // namespace opyard::sim
