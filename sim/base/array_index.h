// Flat arrays count in 32 bits and their containers in std::size_t.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opyard {

// `index` as a position in an array. REQUIRES: index >= 0.
[[nodiscard]] constexpr std::size_t At(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace opyard
