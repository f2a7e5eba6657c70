// A 4-ary heap in an array, least entry first, that chooses among children without branches.
#pragma once

#include <cstddef>

#include "sim/engine/queues/select.h"

namespace opyard::sim {

// The padding around the entries of a heap, so that each has a parent that it does not come before
// and four children: Entry::First() in front, Entry::Last() behind.
inline constexpr std::size_t kFrontPadding = 1;
inline constexpr std::size_t kBackPadding = 4;
inline constexpr std::size_t kHeapPadding = kFrontPadding + kBackPadding;

// Adds `entry` to the heap of `size` entries that begins at `heap`.
template <class Entry>
void PushHeap(Entry* heap, std::size_t size, const Entry& entry) {
  auto hole = static_cast<std::ptrdiff_t>(size);
  // For the root, this is the padding in front.
  std::ptrdiff_t parent = (hole - 1) >> 2;
  while (entry < heap[parent]) {
    heap[hole] = heap[parent];
    hole = parent;
    parent = (hole - 1) >> 2;
  }
  heap[hole] = entry;
}

// The least of the four entries from `children` on.
template <class Entry>
[[nodiscard]] std::size_t LeastOfFour(const Entry* children) {
  const auto left = static_cast<std::size_t>(children[1] < children[0]);
  const auto right = std::size_t{2} + static_cast<std::size_t>(children[3] < children[2]);
  return Select(children[right] < children[left], right, left);
}

// Takes the least entry from the heap of `size` > 0 entries and leaves Last() in the place that it
// vacates.
template <class Entry>
Entry PopHeap(Entry* heap, std::size_t size) {
  const Entry result = heap[0];
  const std::size_t end = size - 1;
  const Entry last = heap[end];
  std::size_t hole = 0;
  for (std::size_t first = 1; first < end; first = 4 * hole + 1) {
    const std::size_t least = first + LeastOfFour(heap + first);
    if (!(heap[least] < last)) {
      break;
    }
    heap[hole] = heap[least];
    hole = least;
  }
  heap[hole] = last;
  heap[end] = Entry::Last();
  return result;
}

}  // namespace opyard::sim
