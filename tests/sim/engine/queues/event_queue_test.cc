// The queue of events against a sorted set.
#include "sim/engine/queues/event_queue.h"

#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace opyard::testing {
namespace {

using sim::Event;
using sim::EventKind;
using sim::EventQueue;

Event TransferDone(std::int64_t time_ps, std::int32_t slot) {
  return {time_ps, EventKind::kTransferDone, slot};
}

TEST(EventQueueTest, TheEarliestComesFirstThenKindThenSubject) {
  EventQueue queue;
  queue.Reset(8);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next_ps(), sim::kNever);
  queue.Push({7, EventKind::kControlArrived, 1});
  queue.Push(TransferDone(7, 5));
  queue.Push(TransferDone(7, 4));
  queue.Push({3, EventKind::kReleased, 9});
  std::vector<std::int32_t> order;
  while (!queue.empty()) {
    order.push_back(queue.Pop().subject());
  }
  EXPECT_EQ(order, (std::vector<std::int32_t>{9, 4, 5, 1}));
  EXPECT_EQ(queue.next_ps(), sim::kNever);
}

// Pushes and pops in turn, so that events leave the front while others come behind them, more often
// than the queue has places.
TEST(EventQueueTest, ALongRunOfFewEventsStaysInOrder) {
  EventQueue queue;
  queue.Reset(3);
  queue.Push(TransferDone(0, 0));
  queue.Push(TransferDone(1, 1));
  for (std::int32_t step = 0; step < 1'000; ++step) {
    ASSERT_EQ(queue.next_ps(), step);
    ASSERT_EQ(queue.Pop().subject(), step);
    queue.Push(TransferDone(step + 2, step + 2));
  }
}

// Samples pushes and pops; each pop must give what a sorted set has first, also after the events
// were copied to another queue on the way, and after a reset with events left. Of up to 300 events
// most stand in the heap.
RC_GTEST_PROP(EventQueueTest, AgreesWithASortedSet, ()) {
  const auto most = *rc::gen::elementOf(std::vector<std::size_t>{1, 4, 23, 24, 25, 70, 300});
  const auto num_steps = *rc::gen::inRange(0, 1'000);
  EventQueue queue;
  for (int round = 0; round < 2; ++round) {
    queue.Reset(most);
    std::set<Event> expected;
    std::int64_t now_ps = 0;
    for (std::int32_t step = 0; step < num_steps; ++step) {
      RC_ASSERT(queue.empty() == expected.empty());
      RC_ASSERT(queue.next_ps() == (expected.empty() ? sim::kNever : expected.begin()->time_ps()));
      if (expected.size() == most || (!expected.empty() && *rc::gen::inRange(0, 3) == 0)) {
        const Event next = queue.Pop();
        RC_ASSERT(next.time_ps() == expected.begin()->time_ps());
        RC_ASSERT(next.subject() == expected.begin()->subject());
        now_ps = next.time_ps();
        expected.erase(expected.begin());
        continue;
      }
      const Event event = TransferDone(now_ps + *rc::gen::inRange(0, 50), step);
      queue.Push(event);
      expected.insert(event);
      if (*rc::gen::inRange(0, 100) == 0) {
        std::vector<Event> events;
        queue.CopyTo(events);
        queue.Reset(most);
        queue.Fill(events);
      }
    }
  }
}

}  // namespace
}  // namespace opyard::testing
