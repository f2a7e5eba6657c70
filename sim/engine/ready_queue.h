// Heaps in segments of one array: the queues of ready kernels and waiting transfers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/four_ary_heap.h"
#include "sim/engine/wide_key.h"

namespace opyard::sim {

// A ready kernel. The least key comes first: highest priority, earliest instant, smallest index
// (SIMULATION §3). `instant` numbers the distinct instants of a run, so it orders as their times
// do.
struct ReadyKernel {
  WideKey key;

  ReadyKernel() = default;
  ReadyKernel(std::int64_t negated_priority, std::uint32_t instant, std::int32_t kernel)
      : key{OrderedBits(negated_priority), JoinedIndices(instant, kernel)} {}
  [[nodiscard]] std::int32_t kernel() const { return static_cast<std::int32_t>(key.low); }

  // Comes after all ready kernels.
  [[nodiscard]] static ReadyKernel Last() {
    ReadyKernel last;
    last.key = WideKey::Last();
    return last;
  }

  friend bool operator<(const ReadyKernel& a, const ReadyKernel& b) { return a.key < b.key; }
};

// A waiting transfer of one pair of devices. The least key comes first: highest priority, earliest
// offered, then the producer's and output's index, which `tensor` follows. Across pairs, the
// destination decides between equal keys.
struct WaitingTransfer {
  WideKey key;
  std::int32_t slot = 0;  // of Workspace::transfers

  WaitingTransfer() = default;
  WaitingTransfer(std::int64_t negated_priority,
                  std::uint32_t instant,
                  std::int32_t tensor,
                  std::int32_t transfer_slot)
      : key{OrderedBits(negated_priority), JoinedIndices(instant, tensor)}, slot(transfer_slot) {}

  // Comes after all waiting transfers.
  [[nodiscard]] static WaitingTransfer Last() {
    WaitingTransfer last;
    last.key = WideKey::Last();
    return last;
  }

  // Transfers of one tensor to one device, one per edge, have slots in the order of their readers.
  friend bool operator<(const WaitingTransfer& a, const WaitingTransfer& b) {
    return a.key < b.key || (a.key == b.key && a.slot < b.slot);
  }
};

// The entries of several queues, one queue after the other.
template <class Entry>
struct QueueContents {
  std::vector<Entry> entries;
  std::vector<std::size_t> sizes;  // [num queues]
};

// Several queues in one array. Queue q may hold as many entries as Reset gave it; nothing allocates
// after Reset has seen the largest plan.
template <class Entry>
class SegmentedQueues {
 public:
  // Makes room for `num_queues` queues with `num_entries` entries in all.
  void Reserve(std::size_t num_queues, std::size_t num_entries) {
    const std::size_t most = num_entries + num_queues * kHeapPadding;
    if (entries_.size() < most) {
      entries_.resize(most, Entry::Last());
    }
  }

  // Empties all queues and gives queue q room for `capacities[q]` entries.
  void Reset(std::span<const std::int32_t> capacities) {
    for (const Queue& queue : queues_) {
      std::fill_n(
          entries_.begin() + static_cast<std::ptrdiff_t>(queue.first), queue.size, Entry::Last());
    }
    std::size_t total = 0;
    queues_.resize(capacities.size());
    for (std::size_t q = 0; q < capacities.size(); ++q) {
      queues_[q] = {.first = total, .size = 0};
      total += static_cast<std::size_t>(capacities[q]) + kHeapPadding;
    }
    if (entries_.size() < total) {
      entries_.resize(total, Entry::Last());
    }
  }

  [[nodiscard]] bool empty(std::size_t queue) const { return queues_[queue].size == 0; }
  // REQUIRES: !empty(queue).
  [[nodiscard]] const Entry& top(std::size_t queue) const { return entries_[queues_[queue].first]; }

  void Push(std::size_t queue, const Entry& entry) {
    Queue& q = queues_[queue];
    PushHeap(entries_.data() + q.first, q.size++, entry);
  }

  // REQUIRES: !empty(queue).
  Entry Pop(std::size_t queue) {
    Queue& q = queues_[queue];
    return PopHeap(entries_.data() + q.first, q.size--);
  }

  void CopyTo(QueueContents<Entry>& contents) const {
    contents.entries.clear();
    contents.sizes.clear();
    for (const Queue& queue : queues_) {
      const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(queue.first);
      contents.entries.insert(
          contents.entries.end(), first, first + static_cast<std::ptrdiff_t>(queue.size));
      contents.sizes.push_back(queue.size);
    }
  }

  // Takes what CopyTo gave. REQUIRES: as many queues, empty, with room for it.
  void Fill(const QueueContents<Entry>& contents) {
    auto from = contents.entries.begin();
    for (std::size_t q = 0; q < queues_.size(); ++q) {
      queues_[q].size = contents.sizes[q];
      std::copy_n(
          from, queues_[q].size, entries_.begin() + static_cast<std::ptrdiff_t>(queues_[q].first));
      from += static_cast<std::ptrdiff_t>(queues_[q].size);
    }
  }

 private:
  struct Queue {
    std::size_t first = 0;
    std::size_t size = 0;
  };
  std::vector<Queue> queues_;
  std::vector<Entry> entries_;
};

}  // namespace opyard::sim
