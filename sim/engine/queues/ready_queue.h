// Heaps in segments of one array: the queues of ready kernels and waiting transfers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "sim/engine/queues/four_ary_heap.h"
#include "sim/engine/queues/level_queues.h"
#include "sim/engine/queues/queue_key.h"

namespace opyard::sim {

// A ready kernel, in the order of its key: highest priority, earliest instant, smallest index.
// `instant` numbers the distinct instants of a run, so it orders as their times do.
template <class Key>
struct ReadyKernel {
  Key key;

  [[nodiscard]] std::int32_t kernel() const { return key.index(); }

  [[nodiscard]] static ReadyKernel First() { return {Key::First()}; }
  [[nodiscard]] static ReadyKernel Last() { return {Key::Last()}; }

  friend bool operator<(const ReadyKernel& a, const ReadyKernel& b) { return a.key < b.key; }
};

// A waiting transfer of one pair of devices, in the order of its key: highest priority, earliest
// offered, then the producer's and output's index, which that of the tensor follows. Across pairs,
// the destination decides between equal keys.
template <class Key>
struct WaitingTransfer {
  Key key;
  std::int32_t slot = 0;  // of RunState::transfers

  [[nodiscard]] static WaitingTransfer First() { return {.key = Key::First()}; }
  [[nodiscard]] static WaitingTransfer Last() { return {.key = Key::Last()}; }

  // Transfers of one tensor to one device, one per edge, have slots in the order of their readers;
  // under narrow keys there is one per destination. No branches: which comes first is a coin toss.
  friend bool operator<(const WaitingTransfer& a, const WaitingTransfer& b) {
    if constexpr (std::is_same_v<Key, NarrowKey>) {
      return a.key < b.key;
    } else {
      return static_cast<int>(a.key < b.key) |
             (static_cast<int>(a.key == b.key) & static_cast<int>(a.slot < b.slot));
    }
  }
};

// Several queues in one array. Queue q may hold as many entries as Reset gave it; nothing allocates
// after Reset has seen the largest plan.
template <class Entry>
class SegmentedQueues {
 public:
  SegmentedQueues() = default;
  // Not to be copied: queues point into the array.
  SegmentedQueues(const SegmentedQueues&) = delete;
  SegmentedQueues& operator=(const SegmentedQueues&) = delete;
  SegmentedQueues(SegmentedQueues&&) = default;
  SegmentedQueues& operator=(SegmentedQueues&&) = default;
  ~SegmentedQueues() = default;

  // Makes room for `num_queues` queues with `num_entries` entries in all. Forgets what they held.
  void Reserve(std::size_t num_queues, std::size_t num_entries) {
    const std::size_t most = num_entries + num_queues * kHeapPadding;
    if (entries_.size() < most) {
      queues_.clear();
      entries_.assign(most, Entry::Last());
    }
  }

  // Empties all queues and gives queue q room for `capacities[q]` entries.
  void Reset(std::span<const std::int32_t> capacities) {
    Empty();
    std::size_t total = 0;
    for (const std::int32_t capacity : capacities) {
      total += static_cast<std::size_t>(capacity) + kHeapPadding;
    }
    Reserve(0, total);
    queues_.resize(capacities.size());
    Entry* next = entries_.data();
    for (std::size_t q = 0; q < capacities.size(); ++q) {
      *next = Entry::First();
      queues_[q] = {.heap = next + kFrontPadding, .size = 0};
      next += static_cast<std::size_t>(capacities[q]) + kHeapPadding;
    }
  }

  [[nodiscard]] bool empty(std::size_t queue) const { return queues_[queue].size == 0; }
  // REQUIRES: !empty(queue).
  [[nodiscard]] const Entry& top(std::size_t queue) const { return *queues_[queue].heap; }

  void Push(std::size_t queue, const Entry& entry) {
    Queue& q = queues_[queue];
    PushHeap(q.heap, q.size++, entry);
  }

  // REQUIRES: !empty(queue).
  Entry Pop(std::size_t queue) {
    Queue& q = queues_[queue];
    return PopHeap(q.heap, q.size--);
  }

  void CopyTo(QueueContents<Entry>& contents) const {
    contents.entries.clear();
    contents.sizes.clear();
    for (const Queue& queue : queues_) {
      contents.entries.insert(contents.entries.end(), queue.heap, queue.heap + queue.size);
      contents.sizes.push_back(queue.size);
    }
  }

  // Takes what CopyTo gave. REQUIRES: as many queues, empty, with room for it.
  void Fill(const QueueContents<Entry>& contents) {
    auto from = contents.entries.begin();
    for (std::size_t q = 0; q < queues_.size(); ++q) {
      queues_[q].size = contents.sizes[q];
      std::copy_n(from, queues_[q].size, queues_[q].heap);
      from += static_cast<std::ptrdiff_t>(queues_[q].size);
    }
  }

 private:
  struct Queue {
    Entry* heap = nullptr;
    std::size_t size = 0;
  };

  // Leaves Last() everywhere.
  void Empty() {
    for (const Queue& queue : queues_) {
      std::fill_n(queue.heap - kFrontPadding, queue.size + kFrontPadding, Entry::Last());
    }
  }

  std::vector<Queue> queues_;
  std::vector<Entry> entries_;
};

// The ready kernels of all devices: by level where priorities are few, else in heaps.
template <class Key>
class ReadyQueues {
 public:
  // Empties all queues. Queue q may take `capacities[q * layout.num_levels() + l]` entries of level
  // l until the next Reset.
  void Reset(std::span<const std::int32_t> capacities, const KeyLayout& layout) {
    has_levels_ = layout.has_levels;
    if (has_levels()) {
      levels_.Reset(capacities, layout);
    } else {
      heaps_.Reset(capacities);
    }
  }
  [[nodiscard]] bool empty(std::size_t queue) const {
    return has_levels() ? levels_.empty(queue) : heaps_.empty(queue);
  }
  // REQUIRES: kernels come in the order of their instants.
  void Push(std::size_t queue, const ReadyKernel<Key>& kernel) {
    has_levels() ? levels_.Push(queue, kernel) : heaps_.Push(queue, kernel);
  }
  // REQUIRES: !empty(queue).
  ReadyKernel<Key> Pop(std::size_t queue) {
    return has_levels() ? levels_.Pop(queue) : heaps_.Pop(queue);
  }
  void CopyTo(QueueContents<ReadyKernel<Key>>& contents) const {
    has_levels() ? levels_.CopyTo(contents) : heaps_.CopyTo(contents);
  }
  // Takes what CopyTo gave. REQUIRES: as many queues, empty, with room for it.
  void Fill(const QueueContents<ReadyKernel<Key>>& contents) {
    has_levels() ? levels_.Fill(contents) : heaps_.Fill(contents);
  }

 private:
  [[nodiscard]] bool has_levels() const { return std::is_same_v<Key, NarrowKey> && has_levels_; }

  bool has_levels_ = false;
  LevelQueues<ReadyKernel<Key>> levels_;
  SegmentedQueues<ReadyKernel<Key>> heaps_;
};

// The queues of one run.
template <class Key>
struct RunQueues {
  ReadyQueues<Key> ready;                         // by device
  SegmentedQueues<WaitingTransfer<Key>> waiting;  // by (src, dst)
  std::vector<WaitingTransfer<Key>> scanned;  // all that wait, in order, where heads do not suffice
  std::vector<ReadyKernel<Key>> set_aside;    // those that do not fit, while others are tried
};

}  // namespace opyard::sim
