// Binary heaps in segments of one array: the queues of ready ops and waiting transfers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace opyard::sim {

// A ready op. The least comes first: highest priority, earliest ready, smallest index (SIMULATION
// §3).
struct ReadyOp {
  std::int64_t negated_priority = 0;
  std::int64_t ready_ps = 0;
  std::int32_t op = 0;

  friend bool operator<(const ReadyOp& a, const ReadyOp& b) {
    return std::tie(a.negated_priority, a.ready_ps, a.op) <
           std::tie(b.negated_priority, b.ready_ps, b.op);
  }
};

// A waiting transfer. The least comes first: highest priority, earliest offered, then the
// producer's and output's index (`tensor`), then the destination (SIMULATION §3).
struct WaitingTransfer {
  std::int64_t negated_priority = 0;
  std::int64_t offered_ps = 0;
  std::int32_t tensor = 0;
  std::int32_t destination = 0;
  std::int32_t slot = 0;  // of Workspace::transfers

  friend bool operator<(const WaitingTransfer& a, const WaitingTransfer& b) {
    return std::tie(a.negated_priority, a.offered_ps, a.tensor, a.destination) <
           std::tie(b.negated_priority, b.offered_ps, b.tensor, b.destination);
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
      child += (child + 1 < size && heap[child + 1] < heap[child]) ? 1 : 0;
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
