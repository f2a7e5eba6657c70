// The keys that order queues.
#include "sim/engine/queues/queue_key.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace opyard::testing {
namespace {

using sim::KeyLayout;
using sim::NarrowKey;

// 1,000 instants need 10 bits (1,000 < 2^10), so 22 of 32 are left for priorities.
TEST(KeyLayoutTest, IsNarrowWherePrioritiesAndInstantsFit32Bits) {
  const std::int64_t most = (std::int64_t{1} << 22) - 1;
  EXPECT_TRUE(KeyLayout::Narrow(-5, most - 5, 1000).is_narrow);
  EXPECT_FALSE(KeyLayout::Narrow(-5, most - 4, 1000).is_narrow);
}

TEST(KeyLayoutTest, IsNotNarrowWhereInstantsAloneFillTheWord) {
  EXPECT_TRUE(KeyLayout::Narrow(0, 0, 0xFFFF'FFFF).is_narrow);
  EXPECT_FALSE(KeyLayout::Narrow(0, 1, 0xFFFF'FFFF).is_narrow);
  EXPECT_FALSE(KeyLayout::Narrow(0, 0, std::uint64_t{1} << 32).is_narrow);
}

TEST(KeyLayoutTest, FitsNoPriorityBelowTheLeast) {
  const KeyLayout layout = KeyLayout::Narrow(-5, 140, 1000);
  EXPECT_TRUE(layout.Fits(-5));
  EXPECT_TRUE(layout.Fits(140));
  EXPECT_FALSE(layout.Fits(-6));
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

// 2^26 instants need 27 bits, which leaves 5 of 32 for priorities: 32 of them, not 64.
TEST(KeyLayoutTest, ManyPrioritiesOrInstantsAreNoLevels) {
  EXPECT_TRUE(KeyLayout::Narrow(0, 63, 1000).has_levels);
  EXPECT_FALSE(KeyLayout::Narrow(0, 64, 1000).has_levels);
  EXPECT_TRUE(KeyLayout::Narrow(0, 19, (std::uint64_t{1} << 26) - 1).has_levels);
  EXPECT_FALSE(KeyLayout::Narrow(0, 19, std::uint64_t{1} << 26).has_levels);
  EXPECT_TRUE(KeyLayout::Narrow(0, 19, std::uint64_t{1} << 26).is_narrow);
}

// The level does not depend on what stands below the priority.
TEST(KeyLayoutTest, EntriesHaveTheLevelOfTheirPriority) {
  const KeyLayout layout = KeyLayout::Narrow(-5, 14, 1000);
  const NarrowKey key = NarrowKey::Of(layout.PriorityPart(3), 1000, INT32_MAX);
  EXPECT_EQ(layout.LevelOf(key.priority_bits()), layout.LevelOf(layout.PriorityPart(3)));
}

// The priority decides, then the instant, then the index.
TEST(NarrowKeyTest, OrdersByPriorityThenInstantThenIndex) {
  const KeyLayout layout = KeyLayout::Narrow(-5, 14, 1000);
  const auto key = [&](std::int64_t negated_priority, std::uint32_t instant, std::int32_t index) {
    return NarrowKey::Of(layout.PriorityPart(negated_priority), instant, index);
  };
  EXPECT_LT(key(-5, 1000, INT32_MAX), key(-4, 0, 0));
  EXPECT_LT(key(3, 7, INT32_MAX), key(3, 8, 0));
  EXPECT_LT(key(3, 7, 1), key(3, 7, 2));
  EXPECT_EQ(key(3, 7, 2).index(), 2);
  EXPECT_FALSE(key(-5, 0, 0) < NarrowKey::First());
  EXPECT_LT(key(14, 1000, INT32_MAX), NarrowKey::Last());
}

}  // namespace
}  // namespace opyard::testing
