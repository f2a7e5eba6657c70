// Flat arrays count in 32 bits, their containers in std::size_t.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "sim/base/check.h"

namespace opyard {

// `index` as a position in an array. REQUIRES: index >= 0.
[[nodiscard]] constexpr std::size_t At(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

// `size` as an index or count of a flat array. Throws InternalError beyond 2^31.
[[nodiscard]] inline std::int32_t Size32(std::size_t size) {
  OPYARD_CHECK(size < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()),
               "more than 2^31 elements");
  return static_cast<std::int32_t>(size);
}

}  // namespace opyard
