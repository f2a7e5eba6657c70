// Ranks of random keys.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agents/genetic/chromosome.h"

namespace opyard::agents {

// Whole numbers in the order of `keys`: equal keys get equal ranks, the least one rank 0, without a
// gap; what env::RanksOf gives, sooner. [keys.size()]. O(n). REQUIRES: each is a gene
// (chromosome.h).
[[nodiscard]] std::vector<std::int64_t> RanksOfKeys(std::span<const float> keys);

}  // namespace opyard::agents
