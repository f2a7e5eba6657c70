// The queue of future events. Ends of kernels stand in KernelEnds where that has room for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/queues/four_ary_heap.h"
#include "sim/engine/queues/never.h"
#include "sim/engine/queues/wide_key.h"

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
  kKernelReleased,  // the release of a kernel whose dependencies are met
  kStreamRested,    // the gap after a kernel of one of the streams side by side is over
  kBodyBegins,      // a kernel has passed its launch and uses the bandwidth of a memory pool
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

// A few of the soonest events stand in order, so that the next one is known long before it comes;
// what finds no place among them waits in a heap. A new event passes those that come after it.
class EventQueue {
 public:
  EventQueue() = default;
  // Not to be copied: pointers lead into the arrays.
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  EventQueue(EventQueue&&) = default;
  EventQueue& operator=(EventQueue&&) = default;
  ~EventQueue() = default;

  // Empties the queue and gives it room for `most` events.
  void Reset(std::size_t most) {
    std::fill_n(heap_, heap_size_, Event::Last());
    heap_size_ = 0;
    if (heap_array_.size() < most + kHeapPadding) {
      heap_array_.assign(most + kHeapPadding, Event::Last());
      heap_array_.front() = Event::First();
      heap_ = heap_array_.data() + kFrontPadding;
    }
    places_.assign(kNumPlaces, Event::First());
    first_ = end_ = places_.data() + 1;
    *end_ = Event::Last();
    SetLimit();
  }
  [[nodiscard]] bool empty() const { return first_ == end_; }
  // kNever if there is none.
  [[nodiscard]] std::int64_t next_ps() const { return first_->time_ps(); }

  void Push(Event event) {
    if (end_ >= limit_) [[unlikely]] {
      PushBesideHeap(event);
    } else {
      Insert(event);
    }
  }

  // REQUIRES: !empty().
  Event Pop() {
    const Event next = *first_;
    *first_++ = Event::First();
    if (first_ == end_ && heap_size_ > 0) [[unlikely]] {
      Refill();
    }
    return next;
  }

  // Copies the events, in no order that matters.
  void CopyTo(std::vector<Event>& events) const {
    events.assign<const Event*>(first_, end_);
    events.insert(events.end(), heap_, heap_ + heap_size_);
  }
  // Takes what CopyTo gave. REQUIRES: empty, with room for them.
  void Fill(std::span<const Event> events) {
    std::ranges::for_each(events, [this](const Event& event) { Push(event); });
  }

 private:
  // Most machines have fewer transfers under way.
  static constexpr std::ptrdiff_t kMostInOrder = 24;
  static constexpr std::size_t kNumPlaces = 64;

  [[nodiscard]] Event* LastPlace() { return places_.data() + kNumPlaces - 1; }

  // REQUIRES: a place after the last.
  void Insert(Event event) {
    Event* place = end_++;
    *end_ = Event::Last();
    // Before the first stands Event::First().
    for (; event < place[-1]; --place) {
      *place = place[-1];
    }
    *place = event;
  }

  void PushBesideHeap(Event event) {
    if (end_ == LastPlace()) {
      MoveToFront();
    }
    if (heap_[0] < event) {
      PushHeap(heap_, heap_size_++, event);
    } else {
      Insert(event);
    }
  }

  // Moves the events to the front places. Those beyond kMostInOrder go to the heap.
  void MoveToFront() {
    Event* const front = places_.data() + 1;
    end_ = std::shift_left(front, end_, first_ - front);
    first_ = front;
    for (; end_ - first_ > kMostInOrder; --end_) {
      PushHeap(heap_, heap_size_++, end_[-1]);
    }
    *end_ = Event::Last();
    SetLimit();
  }

  // REQUIRES: no event stands in order.
  void Refill() {
    MoveToFront();
    Insert(PopHeap(heap_, heap_size_--));
    SetLimit();
  }

  void SetLimit() { limit_ = heap_size_ > 0 ? places_.data() : LastPlace(); }

  std::vector<Event> places_;  // [kNumPlaces]: those in order, Event::First() before them
  Event* first_ = nullptr;
  Event* end_ = nullptr;          // holds Event::Last()
  const Event* limit_ = nullptr;  // the last place; the first while the heap holds events
  std::vector<Event> heap_array_;
  Event* heap_ = nullptr;  // of those that come after all in order
  std::size_t heap_size_ = 0;
};

}  // namespace opyard::sim
