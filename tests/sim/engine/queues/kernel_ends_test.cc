// Ends of kernels against a sorted set.
#include "sim/engine/queues/kernel_ends.h"

#include <cstdint>
#include <set>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace opyard::testing {
namespace {

using sim::KernelEnds;

TEST(KernelEndsTest, TheEarliestComesFirst) {
  KernelEnds ends;
  ends.Reset(3);
  EXPECT_EQ(ends.next_ps(), sim::kNever);
  ends.Add(0, 30);
  ends.Add(2, 10);
  ends.Add(1, 20);
  EXPECT_EQ(ends.next_ps(), 10);
  EXPECT_EQ(ends.Pop(), 2);
  ends.Add(2, 25);
  EXPECT_EQ(ends.Pop(), 1);
  EXPECT_EQ(ends.Pop(), 2);
  EXPECT_EQ(ends.next_ps(), 30);
  EXPECT_EQ(ends.Pop(), 0);
  EXPECT_EQ(ends.next_ps(), sim::kNever);
}

RC_GTEST_PROP(KernelEndsTest, AgreeWithASortedSet, ()) {
  const auto num_devices = *rc::gen::inRange<std::size_t>(1, KernelEnds::kMostDevices + 1);
  const std::int64_t latest_ps = *rc::gen::element<std::int64_t>(3, 1000, KernelEnds::kLatestPs);
  KernelEnds ends;
  for (int round = 0; round < 2; ++round) {
    ends.Reset(num_devices);
    std::set<std::pair<std::int64_t, std::size_t>> expected;
    std::set<std::size_t> idle;
    for (std::size_t device = 0; device < num_devices; ++device) {
      idle.insert(device);
    }
    for (int step = 0; step < 100; ++step) {
      RC_ASSERT(ends.next_ps() == (expected.empty() ? sim::kNever : expected.begin()->first));
      if (!idle.empty() && *rc::gen::arbitrary<bool>()) {
        const std::size_t device = *rc::gen::elementOf(idle);
        const auto end_ps = *rc::gen::inRange<std::int64_t>(0, latest_ps);
        ends.Add(device, end_ps);
        expected.emplace(end_ps, device);
        idle.erase(device);
      } else if (!expected.empty()) {
        const std::size_t device = ends.Pop();
        RC_ASSERT(device == expected.begin()->second);
        expected.erase(expected.begin());
        idle.insert(device);
      }
    }
  }
}

}  // namespace
}  // namespace opyard::testing
