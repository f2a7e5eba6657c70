// The engine counts in 32 bits and its arrays in std::size_t.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opyard::sim {

// `index` as a position in an array. REQUIRES: index >= 0.
[[nodiscard]] constexpr std::size_t At(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace opyard::sim
