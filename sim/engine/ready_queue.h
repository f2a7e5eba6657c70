// Binary heaps in segments of one array: the queues of ready ops and waiting transfers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/wide_key.h"

namespace opyard::sim {

// A ready op. The least key comes first: highest priority, earliest instant, smallest index
// (SIMULATION §3). `instant` numbers the distinct instants of a run, so it orders as their times
// do.
struct ReadyOp {
  WideKey key;

  ReadyOp() = default;
  ReadyOp(std::int64_t negated_priority, std::uint32_t instant, std::int32_t op)
      : key{OrderedBits(negated_priority), JoinedIndices(instant, op)} {}
  [[nodiscard]] std::int32_t op() const { return static_cast<std::int32_t>(key.low); }

  friend bool operator<(const ReadyOp& a, const ReadyOp& b) { return a.key < b.key; }
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

  // Transfers of one tensor to one device, one per edge, have slots in the order of their readers.
  friend bool operator<(const WaitingTransfer& a, const WaitingTransfer& b) {
    return a.key < b.key || (a.key == b.key && a.slot < b.slot);
  }
};

// Several queues in one array. Queue q may hold as many entries as Reset gave it; nothing allocates
// after Reset has seen the largest plan.
template <class Entry>
class SegmentedQueues {
 public:
  // Empties all queues and gives queue q room for `capacities[q]` entries.
  void Reset(std::span<const std::int32_t> capacities) {
    std::size_t total = 0;
    queues_.resize(capacities.size());
    for (std::size_t q = 0; q < capacities.size(); ++q) {
      queues_[q] = {.first = total, .size = 0};
      total += static_cast<std::size_t>(capacities[q]);
    }
    if (entries_.size() < total) {
      entries_.resize(total);
    }
  }

  [[nodiscard]] bool empty(std::size_t queue) const { return queues_[queue].size == 0; }
  // REQUIRES: !empty(queue).
  [[nodiscard]] const Entry& top(std::size_t queue) const { return entries_[queues_[queue].first]; }

  void Push(std::size_t queue, const Entry& entry) {
    Entry* heap = entries_.data() + queues_[queue].first;
    std::size_t hole = queues_[queue].size++;
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 2;
      if (!(entry < heap[parent])) {
        break;
      }
      heap[hole] = heap[parent];
      hole = parent;
    }
    heap[hole] = entry;
  }

  // REQUIRES: !empty(queue).
  Entry Pop(std::size_t queue) {
    Entry* heap = entries_.data() + queues_[queue].first;
    const std::size_t size = --queues_[queue].size;
    const Entry result = heap[0];
    const Entry last = heap[size];
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size; child = 2 * hole + 1) {
      child += static_cast<std::size_t>(child + 1 < size && heap[child + 1] < heap[child]);
      if (!(heap[child] < last)) {
        break;
      }
      heap[hole] = heap[child];
      hole = child;
    }
    heap[hole] = last;
    return result;
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
