// Queues by level against a sorted set.
#include "sim/engine/queues/level_queues.h"

#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/engine/queues/ready_queue.h"

namespace opyard::testing {
namespace {

using sim::KeyLayout;
using sim::NarrowKey;
using Kernel = sim::ReadyKernel<NarrowKey>;
using Queues = sim::LevelQueues<Kernel>;

constexpr std::size_t kNumQueues = 3;

Kernel MakeKernel(const KeyLayout& layout,
                  std::int64_t negated_priority,
                  std::uint32_t instant,
                  std::int32_t index) {
  return {NarrowKey::Of(layout.PriorityPart(negated_priority), instant, index)};
}

// Room for `count` kernels on each level of each queue.
std::vector<std::int32_t> RoomFor(std::int32_t count) {
  return std::vector<std::int32_t>(kNumQueues * KeyLayout::kNumLevels, count);
}

TEST(LevelQueuesTest, TheHighestPriorityComesFirstThenTheEarliestThenTheLeastIndex) {
  const KeyLayout layout = KeyLayout::Narrow(-2, 0, 100);
  Queues queues;
  queues.Reset(RoomFor(4), layout);
  queues.Push(1, MakeKernel(layout, 0, 1, 10));
  queues.Push(1, MakeKernel(layout, -2, 2, 30));
  queues.Push(1, MakeKernel(layout, -2, 3, 25));
  queues.Push(1, MakeKernel(layout, -2, 3, 20));
  std::vector<std::int32_t> order;
  while (!queues.empty(1)) {
    order.push_back(queues.Pop(1).kernel());
  }
  EXPECT_EQ(order, (std::vector<std::int32_t>{30, 20, 25, 10}));
  EXPECT_TRUE(queues.empty(0));
  EXPECT_TRUE(queues.empty(2));
}

// A kernel that takes no time may make another ready at the instant at which it left the queue:
// that one comes next although its index is less.
TEST(LevelQueuesTest, WhatHasLeftIsNotMoved) {
  const KeyLayout layout = KeyLayout::Narrow(0, 0, 100);
  Queues queues;
  queues.Reset(RoomFor(3), layout);
  queues.Push(0, MakeKernel(layout, 0, 5, 7));
  queues.Push(0, MakeKernel(layout, 0, 5, 9));
  EXPECT_EQ(queues.Pop(0).kernel(), 7);
  queues.Push(0, MakeKernel(layout, 0, 5, 3));
  EXPECT_EQ(queues.Pop(0).kernel(), 3);
  EXPECT_EQ(queues.Pop(0).kernel(), 9);
  EXPECT_TRUE(queues.empty(0));
}

// Samples pushes and pops; each pop must give what a sorted set has first, also after the queues
// were copied to others on the way, and after a reset with entries left.
RC_GTEST_PROP(LevelQueuesTest, AgreeWithSortedSets, ()) {
  const auto range = *rc::gen::inRange<std::int64_t>(0, 64);
  const auto least = *rc::gen::inRange<std::int64_t>(-1000, 1000);
  const auto num_steps = *rc::gen::inRange(0, 200);
  const KeyLayout layout = KeyLayout::Narrow(least, least + range, 1000);
  RC_ASSERT(layout.has_levels);
  Queues queues;
  for (int round = 0; round < 2; ++round) {
    queues.Reset(RoomFor(num_steps), layout);
    std::vector<std::set<std::uint64_t>> expected(kNumQueues);
    std::uint32_t instant = 0;
    for (int step = 0; step < num_steps; ++step) {
      const auto queue = *rc::gen::inRange<std::size_t>(0, kNumQueues);
      RC_ASSERT(queues.empty(queue) == expected[queue].empty());
      if (!expected[queue].empty() && *rc::gen::inRange(0, 3) == 0) {
        RC_ASSERT(queues.Pop(queue).key.value == *expected[queue].begin());
        expected[queue].erase(expected[queue].begin());
        continue;
      }
      instant += static_cast<std::uint32_t>(*rc::gen::inRange(0, 2));
      const auto priority = *rc::gen::inRange<std::int64_t>(least, least + range + 1);
      // Distinct, in no order.
      const std::int32_t index = (step * 77) % 1009;
      const Kernel kernel = MakeKernel(layout, priority, instant, index);
      queues.Push(queue, kernel);
      expected[queue].insert(kernel.key.value);
      if (*rc::gen::inRange(0, 20) == 0) {
        sim::QueueContents<Kernel> contents;
        queues.CopyTo(contents);
        queues.Reset(RoomFor(num_steps), layout);
        queues.Fill(contents);
      }
    }
  }
}

}  // namespace
}  // namespace opyard::testing
