// Queues of ready kernels by levels of priority: first come, first served within each level.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/queues/queue_key.h"

namespace opyard::sim {

// The entries of several queues, one queue after the other.
template <class Entry>
struct QueueContents {
  std::vector<Entry> entries;
  std::vector<std::size_t> sizes;  // [num queues], or of their levels
};

// Several queues in one array, each with KeyLayout::kNumLevels levels. What enters one level of a
// queue in the whole run has its place there in advance, so entering and leaving move an end of a
// range, and a set of bits gives the first level that is not empty. A heap compares and moves
// entries instead, in steps that no processor can foresee.
template <class Entry>
class LevelQueues {
 public:
  // Empties all queues. Level l of queue q may take `capacities[q * kNumLevels + l]` entries until
  // the next Reset.
  void Reset(std::span<const std::int32_t> capacities, const KeyLayout& layout) {
    layout_ = layout;
    occupied_.assign(capacities.size() / KeyLayout::kNumLevels, 0);
    ranges_.resize(capacities.size());
    std::uint32_t next = kFront;
    for (std::size_t i = 0; i < capacities.size(); ++i) {
      ranges_[i] = {.begin = next, .end = next};
      next += static_cast<std::uint32_t>(capacities[i]);
    }
    entries_.resize(next);
  }

  [[nodiscard]] bool empty(std::size_t queue) const { return occupied_[queue] == 0; }

  // REQUIRES: entries of one level come in the order of their instants.
  void Push(std::size_t queue, const Entry& entry) {
    const std::size_t level = layout_.LevelOf(entry.key.priority_bits());
    Range& range = ranges_[queue * KeyLayout::kNumLevels + level];
    std::size_t place = range.end++;
    // Those of one instant come in any order. What lies before the range decides nothing.
    while (entry < entries_[place - 1] && place > range.begin) {
      entries_[place] = entries_[place - 1];
      --place;
    }
    entries_[place] = entry;
    occupied_[queue] |= std::uint64_t{1} << level;
  }

  // REQUIRES: !empty(queue).
  Entry Pop(std::size_t queue) {
    const auto level = static_cast<std::size_t>(std::countr_zero(occupied_[queue]));
    Range& range = ranges_[queue * KeyLayout::kNumLevels + level];
    const Entry first = entries_[range.begin++];
    occupied_[queue] &= ~(static_cast<std::uint64_t>(range.begin == range.end) << level);
    return first;
  }

  void CopyTo(QueueContents<Entry>& contents) const {
    contents.entries.clear();
    contents.sizes.clear();
    for (const Range& range : ranges_) {
      const auto first = entries_.begin();
      contents.entries.insert(contents.entries.end(),
                              first + static_cast<std::ptrdiff_t>(range.begin),
                              first + static_cast<std::ptrdiff_t>(range.end));
      contents.sizes.push_back(range.end - range.begin);
    }
  }

  // Takes what CopyTo gave. REQUIRES: as many queues, empty, with room for it.
  void Fill(const QueueContents<Entry>& contents) {
    auto from = contents.entries.begin();
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      Range& range = ranges_[i];
      const auto count = static_cast<std::ptrdiff_t>(contents.sizes[i]);
      std::copy_n(from, count, entries_.begin() + static_cast<std::ptrdiff_t>(range.begin));
      from += count;
      range.end = range.begin + static_cast<std::uint32_t>(contents.sizes[i]);
      const auto is_occupied = static_cast<std::uint64_t>(count > 0);
      occupied_[i / KeyLayout::kNumLevels] |= is_occupied << (i % KeyLayout::kNumLevels);
    }
  }

 private:
  // So that each entry has one before it.
  static constexpr std::uint32_t kFront = 1;

  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  KeyLayout layout_;
  std::vector<std::uint64_t> occupied_;  // [num_queues]: bits of the levels that are not empty
  std::vector<Range> ranges_;            // [num_queues, kNumLevels]: of entries_
  std::vector<Entry> entries_;
};

}  // namespace opyard::sim
