// Sets of small indices as bits: pairs of devices, channels.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opyard::sim {

// Words of one bit set; several sets of equal width can stand in one array.
using BitWords = std::span<std::uint64_t>;
using ConstBitWords = std::span<const std::uint64_t>;

[[nodiscard]] constexpr std::size_t NumWords(std::size_t num_bits) {
  return (num_bits + 63) / 64;
}

inline void InsertBit(BitWords words, std::size_t bit) {
  words[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

inline void RemoveBit(BitWords words, std::size_t bit) {
  words[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
}

inline void InsertAll(BitWords words, ConstBitWords others) {
  for (std::size_t w = 0; w < words.size(); ++w) {
    words[w] |= others[w];
  }
}

inline void RemoveAll(BitWords words, ConstBitWords others) {
  for (std::size_t w = 0; w < words.size(); ++w) {
    words[w] &= ~others[w];
  }
}

[[nodiscard]] inline bool Intersect(ConstBitWords a, ConstBitWords b) {
  std::uint64_t common = 0;
  for (std::size_t w = 0; w < a.size(); ++w) {
    common |= a[w] & b[w];
  }
  return common != 0;
}

// Calls visit(bit) for each bit in ascending order. `visit` may remove the bit it is given.
template <class Visit>
void ForEachBit(ConstBitWords words, Visit&& visit) {
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1) {
      visit(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }
}

}  // namespace opyard::sim
