#include "agents/genetic/key_ranks.h"

#include <array>
#include <cstddef>
#include <utility>

namespace opyard::agents {
namespace {

constexpr unsigned kDigitBits = 8;
constexpr std::size_t kNumDigits = 3;  // of a key of 24 bits
constexpr std::uint64_t kLastDigit = (1U << kDigitBits) - 1;

// A key above the index at which it stood.
using Entry = std::uint64_t;
using Counts = std::array<std::uint32_t, 1U << kDigitBits>;

std::size_t DigitOf(Entry entry, std::size_t digit) {
  return entry >> (32U + kDigitBits * digit) & kLastDigit;
}

// The number of entries with each value of each digit.
std::array<Counts, kNumDigits> CountDigits(const std::vector<Entry>& entries) {
  std::array<Counts, kNumDigits> counts{};
  for (const Entry entry : entries) {
    for (std::size_t digit = 0; digit < kNumDigits; ++digit) {
      ++counts[digit][DigitOf(entry, digit)];
    }
  }
  return counts;
}

// Radix sort from the least digit up (Knuth, TAOCP 3, 5.2.5).
void SortByKey(std::vector<Entry>& entries) {
  const std::array<Counts, kNumDigits> counts = CountDigits(entries);
  std::vector<Entry> sorted(entries.size());
  for (std::size_t digit = 0; digit < kNumDigits; ++digit) {
    Counts next{};  // where the next entry with this value goes
    for (std::size_t value = 1; value < next.size(); ++value) {
      next[value] = next[value - 1] + counts[digit][value - 1];
    }
    for (const Entry entry : entries) {
      sorted[next[DigitOf(entry, digit)]++] = entry;
    }
    std::swap(entries, sorted);
  }
}

}  // namespace

std::vector<std::int64_t> RanksOfKeys(std::span<const float> keys) {
  std::vector<Entry> entries(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    // A multiple of 2^−24: the product is whole.
    entries[i] = static_cast<Entry>(static_cast<std::int32_t>(keys[i] * 0x1p24F)) << 32U | i;
  }
  SortByKey(entries);
  std::vector<std::int64_t> ranks(keys.size());
  std::int64_t rank = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    rank += i > 0 && entries[i] >> 32U != entries[i - 1] >> 32U ? 1 : 0;
    ranks[static_cast<std::uint32_t>(entries[i])] = rank;
  }
  return ranks;
}

}  // namespace opyard::agents
