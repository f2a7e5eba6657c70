// Small samples from a generator, for random test cases.
#pragma once

#include <array>
#include <vector>

#include "sim/base/rng.h"

namespace opyard::testing {

// True with `probability`.
[[nodiscard]] inline bool Chance(Rng& rng, double probability) {
  return rng.Uniform() < probability;
}

// One of `choices`, all equally likely; repeat a choice to weigh it.
template <class T, std::size_t kSize>
[[nodiscard]] T OneOf(Rng& rng, const std::array<T, kSize>& choices) {
  return choices[rng.Below(kSize)];
}

template <class T>
[[nodiscard]] const T& OneOf(Rng& rng, const std::vector<T>& choices) {
  return choices[rng.Below(choices.size())];
}

}  // namespace opyard::testing
