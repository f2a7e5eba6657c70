#include "graphs/builder/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

using sim::DType;

TEST(ShapeTest, ElementsBelowAByteArePacked) {
  // 512 · 512 elements, two in a byte, then four in a byte.
  EXPECT_EQ(BytesOf({.shape = {512, 512}, .dtype = DType::kI4}), Bytes{131'072});
  EXPECT_EQ(BytesOf({.shape = {512, 512}, .dtype = DType::kF4}), Bytes{131'072});
  EXPECT_EQ(BytesOf({.shape = {512, 512}, .dtype = DType::kI2}), Bytes{65'536});
}

TEST(ShapeTest, AByteThatIsPartlyUsedCounts) {
  EXPECT_EQ(BytesOf({.shape = {3}, .dtype = DType::kI4}), Bytes{2});  // 12 bits
  EXPECT_EQ(BytesOf({.shape = {5}, .dtype = DType::kI2}), Bytes{2});  // 10 bits
  EXPECT_EQ(BytesOf({.shape = {0}, .dtype = DType::kI4}), Bytes{0});
}

TEST(ShapeTest, ComplexNumbersHoldTwoRealOnes) {
  EXPECT_EQ(BytesOf({.shape = {1024}, .dtype = DType::kC64}), Bytes{8'192});
  EXPECT_EQ(BytesOf({.shape = {1024}, .dtype = DType::kC128}), Bytes{16'384});
}

TEST(ShapeTest, RefusesMoreBytesThanInt64Counts) {
  const std::int64_t half = std::int64_t{1} << 62U;
  EXPECT_THROW((void)BytesOf({.shape = {half}, .dtype = DType::kF32}), InputError);
  // 2^62 elements, two in a byte.
  EXPECT_EQ(BytesOf({.shape = {half}, .dtype = DType::kI4}), Bytes{half / 2});
}

}  // namespace
}  // namespace opyard::graphs
