// The order of the queues, as one number per entry: priority, then the instant at which the entry
// came, then an index (docs/modelling.md, "Queue"). The least key comes first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "sim/engine/queues/wide_key.h"

namespace opyard::sim {

// The sort key of one queue entry, in one word. For runs whose priorities and instants fit 40 bits
// together, as nearly all do; comparing one word takes half of what two take.
struct NarrowKey {
  static constexpr unsigned kIndexBits = 24;
  static constexpr std::size_t kNumIndices = std::size_t{1} << kIndexBits;

  std::uint64_t value = 0;

  // No key comes before it, and none after it.
  [[nodiscard]] static constexpr NarrowKey First() { return {0}; }
  [[nodiscard]] static constexpr NarrowKey Last() { return {~std::uint64_t{0}}; }
  // `priority_part` as KeyLayout gives it. REQUIRES: 0 <= index < kNumIndices.
  [[nodiscard]] static NarrowKey Of(std::uint64_t priority_part,
                                    std::uint32_t instant,
                                    std::int32_t index) {
    return {priority_part | static_cast<std::uint64_t>(instant) << kIndexBits |
            static_cast<std::uint32_t>(index)};
  }
  [[nodiscard]] std::int32_t index() const {
    return static_cast<std::int32_t>(value & (kNumIndices - 1));
  }
  // The priority part, and the instant below it.
  [[nodiscard]] std::uint64_t priority_bits() const { return value; }

  friend bool operator<(const NarrowKey& a, const NarrowKey& b) { return a.value < b.value; }
  friend bool operator==(const NarrowKey&, const NarrowKey&) = default;
};

// The layout of the keys of one run.
struct KeyLayout {
  // Where priorities are this few, each is a level of its own.
  static constexpr std::size_t kNumLevels = 64;

  bool is_narrow = false;      // NarrowKey, not WideKey
  bool has_levels = false;     // of narrow keys
  unsigned instant_bits = 32;  // of narrow keys, below the priority
  std::int64_t least = 0;      // of the negated priorities

  // Narrow keys if negated priorities from `least_priority` to `most_priority` fit beside
  // `num_instants` instants. Room that is left lies on both sides, for plans with one priority
  // changed.
  [[nodiscard]] static KeyLayout Narrow(std::int64_t least_priority,
                                        std::int64_t most_priority,
                                        std::uint64_t num_instants) {
    KeyLayout layout{.instant_bits = static_cast<unsigned>(std::bit_width(num_instants)),
                     .least = least_priority};
    layout.is_narrow = layout.instant_bits <= 32 && layout.Fits(most_priority);
    if (!layout.is_narrow) {
      return layout;
    }
    const auto range =
        static_cast<std::uint64_t>(most_priority) - static_cast<std::uint64_t>(least_priority);
    layout.has_levels = range < kNumLevels;
    layout.least -=
        static_cast<std::int64_t>(((std::uint64_t{1} << layout.priority_bits()) - range) / 2);
    return layout;
  }
  // True if narrow keys can hold the negated priority.
  [[nodiscard]] bool Fits(std::int64_t negated_priority) const {
    const auto above =
        static_cast<std::uint64_t>(negated_priority) - static_cast<std::uint64_t>(least);
    return negated_priority >= least && above >> priority_bits() == 0;
  }
  // The part of keys that a priority contributes. REQUIRES: it fits, if keys are narrow.
  [[nodiscard]] std::uint64_t PriorityPart(std::int64_t negated_priority) const {
    const auto above =
        static_cast<std::uint64_t>(negated_priority) - static_cast<std::uint64_t>(least);
    return is_narrow ? above << NarrowKey::kIndexBits << instant_bits
                     : OrderedBits(negated_priority);
  }
  // The priority that PriorityPart of wide keys was made of.
  [[nodiscard]] static std::int64_t PriorityOf(std::uint64_t wide_part) {
    return -SignedOf(wide_part);
  }
  [[nodiscard]] std::size_t num_levels() const { return has_levels ? kNumLevels : 1; }
  // The level of a priority or a key: bits below the priority do not count. 0 without levels.
  [[nodiscard]] std::size_t LevelOf(std::uint64_t priority_part) const {
    return has_levels ? priority_part >> NarrowKey::kIndexBits >> instant_bits : 0;
  }
  // Index of the device and level in [num_devices, num_levels].
  [[nodiscard]] std::size_t QueueOf(std::size_t device, std::uint64_t priority_part) const {
    return device * num_levels() + LevelOf(priority_part);
  }

 private:
  static constexpr unsigned kLevelBits = std::bit_width(kNumLevels) - 1;
  // Of a narrow key, for priorities and instants.
  static constexpr unsigned kSharedBits = 64 - NarrowKey::kIndexBits;

  // Of a narrow key.
  [[nodiscard]] unsigned priority_bits() const {
    return has_levels ? kLevelBits : kSharedBits - instant_bits;
  }
};

}  // namespace opyard::sim
