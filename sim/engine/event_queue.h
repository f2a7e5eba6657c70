// What happens next: completions of ops and transfers, arrivals of control edges.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/wide_key.h"

namespace opyard::sim {

enum class EventKind : std::uint8_t {
  kOpDone,
  kTransferDone,
  kControlArrived,
  kOpIssued,        // the host has issued an op that was ready
  kDeviceRested,    // the gap after an op is over
  kChannelsRested,  // the gap after a transfer is over
  kFlowBegins,      // a fairly shared transfer has passed the route's latency
};

// Ordered by time, then kind, then subject: ops in index order, then transfers in order of their
// offer.
class Event {
 public:
  Event() = default;
  Event(std::int64_t time_ps, EventKind kind, std::int32_t subject)
      : key_{static_cast<std::uint64_t>(time_ps),
             JoinedIndices(static_cast<std::uint32_t>(kind), subject)} {}

  [[nodiscard]] std::int64_t time_ps() const { return static_cast<std::int64_t>(key_.high); }
  [[nodiscard]] EventKind kind() const { return static_cast<EventKind>(key_.low >> 32U); }
  // The op, the slot of the transfer, or the device.
  [[nodiscard]] std::int32_t subject() const { return static_cast<std::int32_t>(key_.low); }

  friend bool operator<(const Event& a, const Event& b) { return a.key_ < b.key_; }

 private:
  WideKey key_;
};

// A 4-ary heap.
class EventQueue {
 public:
  void Clear() { events_.clear(); }
  void Reserve(std::size_t most) { events_.reserve(most); }
  [[nodiscard]] bool empty() const { return events_.empty(); }
  [[nodiscard]] std::int64_t next_ps() const { return events_.front().time_ps(); }

  void Push(const Event& event) {
    std::size_t hole = events_.size();
    events_.push_back(event);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (!(event < events_[parent])) {
        break;
      }
      events_[hole] = events_[parent];
      hole = parent;
    }
    events_[hole] = event;
  }

  Event Pop() {
    const Event result = events_.front();
    const Event last = events_.back();
    events_.pop_back();
    if (!events_.empty()) {
      SiftDown(last);
    }
    return result;
  }

 private:
  void SiftDown(const Event& last) {
    const std::size_t size = events_.size();
    std::size_t hole = 0;
    for (std::size_t first = 1; first < size; first = 4 * hole + 1) {
      std::size_t least = first;
      for (std::size_t child = first + 1; child < size && child < first + 4; ++child) {
        least = events_[child] < events_[least] ? child : least;
      }
      if (!(events_[least] < last)) {
        break;
      }
      events_[hole] = events_[least];
      hole = least;
    }
    events_[hole] = last;
  }

  std::vector<Event> events_;
};

}  // namespace opyard::sim
