// The aggregation of the values of several edges that lead to one row. Needs no LibTorch.
#pragma once

#include <cstdint>

namespace opyard::agents {

enum class Aggregation : std::uint8_t { kSum, kMean, kMax };

}  // namespace opyard::agents
