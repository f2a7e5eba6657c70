// Sets of small indices as bits: pairs of devices, devices.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace opyard::sim {

// Words of one bit set; several sets of equal width can stand in one array. Where the width is one
// word at compile time, its loops vanish.
template <std::size_t kExtent>
using BitWords = std::span<std::uint64_t, kExtent>;
template <std::size_t kExtent>
using ConstBitWords = std::span<const std::uint64_t, kExtent>;

[[nodiscard]] constexpr std::size_t NumWords(std::size_t num_bits) {
  return (num_bits + 63) / 64;
}

// The word of a bit.
template <std::size_t kExtent>
[[nodiscard]] constexpr std::size_t WordOf(std::size_t bit) {
  return kExtent == 1 ? 0 : bit / 64;
}

// Without a branch.
template <std::size_t kExtent>
void InsertBitIf(bool condition, BitWords<kExtent> words, std::size_t bit) {
  words[WordOf<kExtent>(bit)] |= static_cast<std::uint64_t>(condition) << (bit % 64);
}

template <std::size_t kExtent>
void InsertBit(BitWords<kExtent> words, std::size_t bit) {
  InsertBitIf(true, words, bit);
}

// Without a branch.
template <std::size_t kExtent>
void RemoveBitIf(bool condition, BitWords<kExtent> words, std::size_t bit) {
  words[WordOf<kExtent>(bit)] &= ~(static_cast<std::uint64_t>(condition) << (bit % 64));
}

template <std::size_t kExtent>
void RemoveBit(BitWords<kExtent> words, std::size_t bit) {
  RemoveBitIf(true, words, bit);
}

template <std::size_t kExtent>
[[nodiscard]] bool HasBit(ConstBitWords<kExtent> words, std::size_t bit) {
  return (words[WordOf<kExtent>(bit)] >> (bit % 64) & 1U) != 0;
}

template <std::size_t kExtent>
[[nodiscard]] bool IsEmpty(ConstBitWords<kExtent> words) {
  return std::ranges::all_of(words, [](std::uint64_t word) { return word == 0; });
}

template <std::size_t kExtent>
void InsertAll(BitWords<kExtent> words, ConstBitWords<kExtent> others) {
  for (std::size_t w = 0; w < words.size(); ++w) {
    words[w] |= others[w];
  }
}

// Calls visit(bit) for each bit in ascending order. `visit` may remove the bit it is given.
template <std::size_t kExtent, class Visit>
void ForEachBit(ConstBitWords<kExtent> words, Visit&& visit) {
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1) {
      visit(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }
}

}  // namespace opyard::sim
