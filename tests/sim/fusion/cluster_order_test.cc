#include "sim/fusion/cluster_order.h"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/rng.h"

namespace opyard::sim {
namespace {

using ::testing::ElementsAre;

std::vector<std::int32_t> InOrder(const ClusterOrder& order) {
  std::vector<std::int32_t> elements;
  order.ForEach([&](std::int32_t e) { elements.push_back(e); });
  return elements;
}

ClusterOrder OrderOf(std::size_t count) {
  ClusterOrder order;
  order.Reset(count);
  return order;
}

TEST(ClusterOrderTest, StartsInIndexOrder) {
  EXPECT_THAT(InOrder(OrderOf(3)), ElementsAre(0, 1, 2));
}

TEST(ClusterOrderTest, WhatMovesBehindKeepsItsOrder) {
  ClusterOrder order = OrderOf(5);
  std::vector<std::int32_t> moved = {2, 0};
  order.MoveBehind(3, moved);
  EXPECT_THAT(InOrder(order), ElementsAre(1, 3, 0, 2, 4));
}

TEST(ClusterOrderTest, WhatMovesBeforeTheFirstIsFirst) {
  ClusterOrder order = OrderOf(4);
  std::vector<std::int32_t> moved = {3, 2};
  order.MoveBefore(0, moved);
  EXPECT_THAT(InOrder(order), ElementsAre(2, 3, 0, 1));
}

TEST(ClusterOrderTest, ARemovedElementIsGone) {
  ClusterOrder order = OrderOf(3);
  order.Remove(1);
  EXPECT_THAT(InOrder(order), ElementsAre(0, 2));
}

TEST(ClusterOrderTest, AReplacedElementGivesItsPlaceAway) {
  ClusterOrder order = OrderOf(4);
  order.Replace(2, 0);
  EXPECT_THAT(InOrder(order), ElementsAre(1, 0, 3));
}

// A plain list does the same by rotating. Each place has 2^32 labels at first, and moving to the
// same place halves what is left there, so that thousands of moves run out of labels many times.
TEST(ClusterOrderTest, AgreesWithAPlainListWhereLabelsRunOut) {
  constexpr std::int32_t kCount = 200;
  ClusterOrder order = OrderOf(kCount);
  std::vector<std::int32_t> expected(kCount);
  std::iota(expected.begin(), expected.end(), 0);
  Rng rng(7);
  for (int move = 0; move < 20'000; ++move) {
    const auto place = static_cast<std::int32_t>(rng.Below(3));
    auto element = static_cast<std::int32_t>(rng.Below(kCount));
    element += element == place ? 1 : 0;
    order.MoveBehind(place, {&element, 1});
    std::erase(expected, element);
    expected.insert(std::ranges::find(expected, place) + 1, element);
    if (move % 100 == 0) {
      ASSERT_EQ(InOrder(order), expected) << "after move " << move;
    }
  }
  for (std::size_t i = 1; i < expected.size(); ++i) {
    EXPECT_TRUE(order.IsBefore(expected[i - 1], expected[i]));
  }
}

}  // namespace
}  // namespace opyard::sim
