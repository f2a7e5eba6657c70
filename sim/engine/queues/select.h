// A choice that compilers do not turn into a branch.
#pragma once

#include <concepts>

namespace opyard::sim {

// `condition ? a : b`, for conditions that no processor can foresee.
template <std::integral Number>
[[nodiscard]] constexpr Number Select(bool condition, Number a, Number b) {
  return static_cast<Number>(b ^ ((a ^ b) & -static_cast<Number>(condition)));
}

}  // namespace opyard::sim
