#include "experiments/text/number_format.h"

#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

TEST(FiguresTest, WhatRoundsToZeroHasNoSign) {
  EXPECT_EQ(Fixed(-0.004, 2), "0.00");
  EXPECT_EQ(Fixed(-0.0, 0), "0");
  EXPECT_EQ(Fixed(-0.006, 2), "-0.01");
  EXPECT_EQ(Fixed(-10.0, 1), "-10.0");
}

TEST(FiguresTest, OneOfAThingIsNotSeveral) {
  EXPECT_EQ(Counted(0, "op"), "0 ops");
  EXPECT_EQ(Counted(1, "op"), "1 op");
  EXPECT_EQ(Counted(2, "op"), "2 ops");
}

TEST(FiguresTest, BytesTakeTheirUnit) {
  EXPECT_EQ(BytesText(Bytes{1023}), "1023 B");
  EXPECT_EQ(BytesText(Bytes{1536}), "1.50 KiB");
  EXPECT_EQ(BytesText(Bytes{std::int64_t{3} << 30}), "3.00 GiB");
}

TEST(FiguresTest, TimesTakeTheUnitThatFitsThem) {
  EXPECT_EQ(TimeText(SimTime{2'003'000'000'000}), "2.003000 s");
  EXPECT_EQ(TimeText(SimTime{1'500'000'000}), "1.500 ms");
  EXPECT_EQ(TimeText(SimTime{3'000'000}), "3.000 us");
  EXPECT_EQ(TimeText(SimTime{999'999}), "999.999 ns");
  EXPECT_EQ(TimeText(SimTime{2}), "0.002 ns");
  EXPECT_EQ(TimeText(SimTime{}), "0.000 ms");
}

TEST(FiguresTest, WhatRoundsUpToAUnitIsInThatUnit) {
  // 999.9996 us has three digits: 1000.000 us.
  EXPECT_EQ(TimeText(SimTime{999'999'600}), "1.000 ms");
  EXPECT_EQ(TimeText(SimTime{999'999'400}), "999.999 us");
}

TEST(FiguresTest, AColumnKeepsItsUnitAndExactTimesEndWithPicoseconds) {
  EXPECT_EQ(TimeText(SimTime{3'000'000}, TimeUnit::kMilliseconds), "0.003 ms");
  EXPECT_EQ(ExactTimeText(SimTime{1'000'000'002}, TimeUnit::kMilliseconds), "1.000000002 ms");
  EXPECT_EQ(ExactTimeText(SimTime{3'000'005}, TimeUnit::kMicroseconds), "3.000005 us");
  EXPECT_EQ(ExactTimeText(SimTime{7}, TimeUnit::kSeconds), "0.000000000007 s");
}

}  // namespace
}  // namespace opyard::experiments
