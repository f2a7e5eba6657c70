// Which elements of two sequences correspond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace opyard::experiments {

struct SequenceElement {
  std::int32_t type = 0;
  double weight = 0.0;  // not negative
};

// The pairs (index in `a`, index in `b`) of a longest common subsequence of types, ascending in
// both; among those of equal length the one of most weight in `a`. Nothing where that would take
// more than 8 Mi comparisons. O(a · b) time and 8 bytes each.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> AlignSequences(
    std::span<const SequenceElement> a, std::span<const SequenceElement> b);

}  // namespace opyard::experiments
