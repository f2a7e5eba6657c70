// What happens next. Ends of kernels stand in KernelEnds where that has room for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/four_ary_heap.h"
#include "sim/engine/never.h"
#include "sim/engine/wide_key.h"

namespace opyard::sim {

enum class EventKind : std::uint8_t {
  kKernelDone,
  kTransferDone,
  kControlArrived,
  kKernelIssued,    // the host has issued a kernel that was ready
  kDeviceRested,    // the gap after an op is over
  kChannelsRested,  // the gap after a transfer is over
  kFlowBegins,      // a fairly shared transfer has passed the route's latency
  kReleased,        // rules placeto: a dependency, by its rank, is met
};

// Ordered by time, then kind, then subject: kernels by index, transfers in order of their offer.
class Event {
 public:
  Event() = default;
  Event(std::int64_t time_ps, EventKind kind, std::int32_t subject)
      : key_(static_cast<std::uint64_t>(time_ps),
             JoinedIndices(static_cast<std::uint32_t>(kind), subject)) {}

  [[nodiscard]] std::int64_t time_ps() const { return static_cast<std::int64_t>(key_.high()); }
  [[nodiscard]] EventKind kind() const { return static_cast<EventKind>(key_.low() >> 32U); }
  // The kernel, the slot of the transfer, or the device.
  [[nodiscard]] std::int32_t subject() const { return static_cast<std::int32_t>(key_.low()); }

  // Comes before all events.
  [[nodiscard]] static Event First() { return {}; }
  // Comes after all events.
  [[nodiscard]] static Event Last() {
    Event event;
    event.key_ = {static_cast<std::uint64_t>(kNever), ~std::uint64_t{0}};
    return event;
  }

  friend bool operator<(const Event& a, const Event& b) { return a.key_ < b.key_; }

 private:
  WideKey key_;
};

class EventQueue {
 public:
  EventQueue() = default;
  // Not to be copied: the heap points into the array.
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  EventQueue(EventQueue&&) = default;
  EventQueue& operator=(EventQueue&&) = default;
  ~EventQueue() = default;

  // Empties the queue and gives it room for `most` events.
  void Reset(std::size_t most) {
    std::fill_n(heap_, size_, Event::Last());
    size_ = 0;
    if (events_.size() < most + kHeapPadding) {
      events_.assign(most + kHeapPadding, Event::Last());
      events_.front() = Event::First();
      heap_ = events_.data() + kFrontPadding;
    }
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  // kNever if there is none.
  [[nodiscard]] std::int64_t next_ps() const { return heap_->time_ps(); }
  void Push(const Event& event) { PushHeap(heap_, size_++, event); }
  // Copies the events, in no order that matters.
  void CopyTo(std::vector<Event>& events) const { events.assign(heap_, heap_ + size_); }
  // Takes what CopyTo gave. REQUIRES: empty, with room for them.
  void Fill(std::span<const Event> events) {
    std::ranges::copy(events, heap_);
    size_ = events.size();
  }
  Event Pop() { return PopHeap(heap_, size_--); }

 private:
  std::vector<Event> events_;
  Event* heap_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace opyard::sim
