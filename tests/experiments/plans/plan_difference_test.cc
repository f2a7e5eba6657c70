#include "experiments/plans/plan_difference.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/rng.h"
#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

using testing::PlacedOn;
using testing::PlacedWithPriorities;

sim::Plan WithStreams(sim::Plan plan, const std::vector<std::vector<std::vector<int>>>& order) {
  plan.queue = sim::QueueDiscipline::kOrder;
  for (const auto& device : order) {
    plan.order.emplace_back();
    for (const std::vector<int>& ops : device) {
      plan.order.back().emplace_back();
      for (const int op : ops) {
        plan.order.back().back().emplace_back(op);
      }
    }
  }
  return plan;
}

TEST(PlanDifferenceTest, PlansThatDecideTheSameAreEqual) {
  EXPECT_TRUE(Compare(PlacedOn({0, 1}), PlacedOn({0, 1})).is_empty());
  // No priorities are priorities of 0.
  sim::Plan declined = PlacedOn({0, 1});
  declined.fusion_priority = {0, 0};
  EXPECT_TRUE(Compare(PlacedOn({0, 1}), declined).is_empty());
}

TEST(PlanDifferenceTest, EachKindOfDecisionIsListed) {
  sim::Plan before = PlacedWithPriorities({0, 1, 0}, {3, 0, 5});
  before.transfer_priority = {{.tensor = TensorId(0), .destination = DeviceId(1), .priority = 2}};
  sim::Plan after = PlacedWithPriorities({0, 0, 0}, {3, 7, 5});
  after.fusion_priority = {0, 0, 4};
  const PlanDifference difference = Compare(before, after);
  EXPECT_FALSE(difference.has_other_queue);
  ASSERT_EQ(difference.placement.size(), 1U);
  EXPECT_EQ(difference.placement[0].op, OpId(1));
  EXPECT_EQ(difference.placement[0].after, DeviceId(0));
  ASSERT_EQ(difference.op_priority.size(), 1U);
  EXPECT_EQ(difference.op_priority[0].after, 7);
  ASSERT_EQ(difference.fusion_priority.size(), 1U);
  EXPECT_EQ(difference.fusion_priority[0].op, OpId(2));
  ASSERT_EQ(difference.transfer_priority.size(), 1U);
  EXPECT_EQ(difference.transfer_priority[0].before, 2);
  EXPECT_FALSE(difference.transfer_priority[0].after.has_value());
  EXPECT_TRUE(Compare(PlacedOn({0}), PlacedWithPriorities({0}, {0})).has_other_queue);
}

// 4 goes before 1: all others keep their order, though three of them have another position.
TEST(PlanDifferenceTest, OnlyOpsThatMoveAreListed) {
  const sim::Plan plan = PlacedOn({0, 0, 0, 0, 0, 1});
  const PlanDifference difference = Compare(WithStreams(plan, {{{0, 1, 2, 3, 4}}, {{5}}}),
                                            WithStreams(plan, {{{0, 4, 1, 2, 3}}, {{}, {5}}}));
  ASSERT_EQ(difference.order.size(), 2U);
  EXPECT_EQ(difference.order[0].op, OpId(4));
  EXPECT_EQ(difference.order[0].before.position, 4U);
  EXPECT_EQ(difference.order[0].after.position, 1U);
  EXPECT_EQ(difference.order[1].op, OpId(5));  // in another stream
  EXPECT_EQ(difference.order[1].after.stream, 1U);
}

// The least number of moved ops, by brute force over all sets that may stay.
TEST(PlanDifferenceTest, AsFewOpsAsPossibleMove) {
  constexpr int kOps = 7;
  Rng rng(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> shuffled;
    for (int i = 0; i < kOps; ++i) {
      shuffled.insert(shuffled.begin() +
                          static_cast<std::ptrdiff_t>(rng.Below(static_cast<std::uint64_t>(i) + 1)),
                      i);
    }
    std::size_t most_kept = 0;
    for (unsigned set = 0; set < (1U << kOps); ++set) {
      std::vector<int> kept;
      for (const int op : shuffled) {
        if ((set >> static_cast<unsigned>(op) & 1U) != 0) {
          kept.push_back(op);
        }
      }
      most_kept = std::ranges::is_sorted(kept) ? std::max(most_kept, kept.size()) : most_kept;
    }
    const sim::Plan plan = PlacedOn({0, 0, 0, 0, 0, 0, 0});
    const PlanDifference difference =
        Compare(WithStreams(plan, {{{0, 1, 2, 3, 4, 5, 6}}}), WithStreams(plan, {{shuffled}}));
    EXPECT_EQ(difference.order.size(), kOps - most_kept);
  }
}

}  // namespace
}  // namespace opyard::experiments
