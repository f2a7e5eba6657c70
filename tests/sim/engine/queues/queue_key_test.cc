// The keys that order queues.
#include "sim/engine/queues/queue_key.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace opyard::testing {
namespace {

using sim::KeyLayout;
using sim::NarrowKey;

constexpr auto kLastIndex = static_cast<std::int32_t>(NarrowKey::kNumIndices - 1);

// 1,000 instants need 10 bits (1,000 < 2^10), so 30 of 40 are left for priorities.
TEST(KeyLayoutTest, IsNarrowWherePrioritiesAndInstantsFit40Bits) {
  const std::int64_t most = (std::int64_t{1} << 30) - 1;
  EXPECT_TRUE(KeyLayout::Narrow(-5, most - 5, 1000).is_narrow);
  EXPECT_FALSE(KeyLayout::Narrow(-5, most - 4, 1000).is_narrow);
}

// 32 bits of instants leave 8 for priorities: 256 of them.
TEST(KeyLayoutTest, IsNotNarrowWhereInstantsLeaveNoRoom) {
  EXPECT_TRUE(KeyLayout::Narrow(0, 255, 0xFFFF'FFFF).is_narrow);
  EXPECT_FALSE(KeyLayout::Narrow(0, 256, 0xFFFF'FFFF).is_narrow);
  EXPECT_FALSE(KeyLayout::Narrow(0, 0, std::uint64_t{1} << 32).is_narrow);
}

// 28 bits of instants leave 12 for priorities: 4,096, of which 146 are taken, 145 apart.
// (4,096 − 145) / 2 = 1,975 are free before them, and 1,975 behind.
TEST(KeyLayoutTest, ManyPrioritiesHaveRoomOnBothSides) {
  const KeyLayout layout = KeyLayout::Narrow(-5, 140, std::uint64_t{1} << 27);
  ASSERT_FALSE(layout.has_levels);
  EXPECT_TRUE(layout.Fits(-1980));
  EXPECT_TRUE(layout.Fits(2115));
  EXPECT_FALSE(layout.Fits(-1981));
  EXPECT_FALSE(layout.Fits(2116));
  EXPECT_FALSE(layout.Fits(INT64_MIN));
  EXPECT_FALSE(layout.Fits(INT64_MAX));
}

// 20 priorities leave 44 levels, 22 on either side.
TEST(KeyLayoutTest, FewPrioritiesAreLevelsWithRoomOnBothSides) {
  const KeyLayout layout = KeyLayout::Narrow(-5, 14, 1000);
  ASSERT_TRUE(layout.has_levels);
  EXPECT_EQ(layout.num_levels(), 64U);
  EXPECT_EQ(layout.LevelOf(layout.PriorityPart(-5)), 22U);
  EXPECT_EQ(layout.LevelOf(layout.PriorityPart(14)), 41U);
  EXPECT_TRUE(layout.Fits(-27));
  EXPECT_TRUE(layout.Fits(36));
  EXPECT_FALSE(layout.Fits(-28));
  EXPECT_FALSE(layout.Fits(37));
}

TEST(KeyLayoutTest, ManyPrioritiesAreNoLevels) {
  EXPECT_TRUE(KeyLayout::Narrow(0, 63, 1000).has_levels);
  EXPECT_FALSE(KeyLayout::Narrow(0, 64, 1000).has_levels);
  EXPECT_TRUE(KeyLayout::Narrow(0, 63, 0xFFFF'FFFF).has_levels);
}

// The level does not depend on what stands below the priority.
TEST(KeyLayoutTest, EntriesHaveTheLevelOfTheirPriority) {
  const KeyLayout layout = KeyLayout::Narrow(-5, 14, 1000);
  const NarrowKey key = NarrowKey::Of(layout.PriorityPart(3), 1000, kLastIndex);
  EXPECT_EQ(layout.LevelOf(key.priority_bits()), layout.LevelOf(layout.PriorityPart(3)));
}

// The priority decides, then the instant, then the index.
TEST(NarrowKeyTest, OrdersByPriorityThenInstantThenIndex) {
  const KeyLayout layout = KeyLayout::Narrow(-5, 14, 1000);
  const auto key = [&](std::int64_t negated_priority, std::uint32_t instant, std::int32_t index) {
    return NarrowKey::Of(layout.PriorityPart(negated_priority), instant, index);
  };
  EXPECT_LT(key(-5, 1000, kLastIndex), key(-4, 0, 0));
  EXPECT_LT(key(3, 7, kLastIndex), key(3, 8, 0));
  EXPECT_LT(key(3, 7, 1), key(3, 7, 2));
  EXPECT_EQ(key(3, 7, 2).index(), 2);
  EXPECT_EQ(key(14, 1000, kLastIndex).index(), kLastIndex);
  EXPECT_FALSE(key(-5, 0, 0) < NarrowKey::First());
  EXPECT_LT(key(14, 1000, kLastIndex), NarrowKey::Last());
}

}  // namespace
}  // namespace opyard::testing
