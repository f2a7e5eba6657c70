#include "experiments/text/figures.h"

#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

TEST(FiguresTest, BytesTakeTheirUnit) {
  EXPECT_EQ(BytesText(Bytes{1023}), "1023 B");
  EXPECT_EQ(BytesText(Bytes{1536}), "1.50 KiB");
  EXPECT_EQ(BytesText(Bytes{std::int64_t{3} << 30}), "3.00 GiB");
  EXPECT_EQ(Milliseconds(SimTime{1'500'000'000}), "1.500 ms");
}

}  // namespace
}  // namespace opyard::experiments
