// Two 64-bit numbers compared as one: the order of events and queues without branches.
#pragma once

#include <cstdint>

namespace opyard::sim {

// Orders by `high`, then `low`. One number, not two: a processor that has just stored two words
// waits if it then loads both as one.
class WideKey {
 public:
  constexpr WideKey() = default;
  constexpr WideKey(std::uint64_t high, std::uint64_t low)
      : value_((static_cast<Wide>(high) << 64U) | low) {}

  // No key comes before it, and none after it.
  [[nodiscard]] static constexpr WideKey First() { return {}; }
  [[nodiscard]] static constexpr WideKey Last() { return {~std::uint64_t{0}, ~std::uint64_t{0}}; }
  // The key of a queue entry; `priority_part` as KeyLayout gives it.
  [[nodiscard]] static WideKey Of(std::uint64_t priority_part,
                                  std::uint32_t instant,
                                  std::int32_t index);
  [[nodiscard]] constexpr std::uint64_t high() const {
    return static_cast<std::uint64_t>(value_ >> 64U);
  }
  [[nodiscard]] constexpr std::uint64_t low() const { return static_cast<std::uint64_t>(value_); }
  [[nodiscard]] std::int32_t index() const { return static_cast<std::int32_t>(low()); }
  // The priority part.
  [[nodiscard]] std::uint64_t priority_bits() const { return high(); }

  friend bool operator<(const WideKey& a, const WideKey& b) { return a.value_ < b.value_; }
  friend bool operator==(const WideKey&, const WideKey&) = default;

 private:
  __extension__ using Wide = unsigned __int128;
  Wide value_ = 0;
};

// Maps signed numbers to unsigned ones in the same order.
[[nodiscard]] constexpr std::uint64_t OrderedBits(std::int64_t value) {
  return static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63U);
}

// The number that OrderedBits was made of.
[[nodiscard]] constexpr std::int64_t SignedOf(std::uint64_t ordered_bits) {
  return static_cast<std::int64_t>(ordered_bits ^ (std::uint64_t{1} << 63U));
}

// `first` decides, then `second`. REQUIRES: second >= 0.
[[nodiscard]] constexpr std::uint64_t JoinedIndices(std::uint32_t first, std::int32_t second) {
  return (static_cast<std::uint64_t>(first) << 32U) | static_cast<std::uint32_t>(second);
}

inline WideKey WideKey::Of(std::uint64_t priority_part, std::uint32_t instant, std::int32_t index) {
  return {priority_part, JoinedIndices(instant, index)};
}

}  // namespace opyard::sim
