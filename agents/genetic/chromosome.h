// A vector of random keys.
#pragma once

#include <cstdint>
#include <vector>

namespace opyard::agents {

// Genes in [0, 1), multiples of 2^−24. float: a population of 512 groups on 9 devices stays below 3
// MB.
using Chromosome = std::vector<float>;

// The gene of the uppermost 24 of 32 random bits: a cast of more to float could round up to 1.
[[nodiscard]] constexpr float GeneOf(std::uint32_t bits) {
  return static_cast<float>(bits >> 8U) * 0x1p-24F;
}

}  // namespace opyard::agents
