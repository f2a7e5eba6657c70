// What happens next: completions of ops and transfers, arrivals of control edges.
#pragma once

#include <cstdint>
#include <vector>

namespace opyard::sim {

enum class EventKind : std::uint8_t { kOpDone, kTransferDone, kControlArrived };

struct Event {
  std::int64_t time_ps = 0;
  std::int32_t subject = 0;  // device, transfer slot, or op that waits
  EventKind kind = EventKind::kOpDone;
};

// A 4-ary heap by time. Events of one instant leave in any order: the engine applies all of them
// before anything starts, and no completion depends on another of the same instant.
class EventQueue {
 public:
  void Clear() { events_.clear(); }
  void Reserve(std::size_t most) { events_.reserve(most); }
  [[nodiscard]] bool empty() const { return events_.empty(); }
  [[nodiscard]] std::int64_t next_ps() const { return events_.front().time_ps; }

  void Push(const Event& event) {
    std::size_t hole = events_.size();
    events_.push_back(event);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (events_[parent].time_ps <= event.time_ps) {
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
        least = events_[child].time_ps < events_[least].time_ps ? child : least;
      }
      if (last.time_ps <= events_[least].time_ps) {
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
