// Weights as partitioners take them: whole numbers of 32 bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace opyard::agents {

// `values` in whole numbers from 1, in proportion, with a sum of about `total`. REQUIRES: total and
// the number of values together stay below 2^31.
[[nodiscard]] std::vector<std::int32_t> ScaleToIntegers(std::span<const double> values,
                                                        double total);

}  // namespace opyard::agents
