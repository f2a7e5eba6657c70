#include "graphs/importers/common/dtype_names.h"

#include <string_view>

#include <gtest/gtest.h>

#include "sim/graph/element_bytes.h"

namespace opyard::graphs {
namespace {

using sim::DType;

// The bits of one element, or 0 for a name that has no type of ours.
std::int64_t BitsOf(std::string_view name) {
  const std::optional<DType> dtype = DTypeNamed(name);
  return dtype.has_value() ? sim::ElementBits(*dtype) : 0;
}

TEST(DTypeNamesTest, NamesOfXlaHaveTheirSizes) {
  for (const std::string_view name : {"f8e3m4",
                                      "f8e4m3",
                                      "f8e4m3b11fnuz",
                                      "f8e4m3fn",
                                      "f8e4m3fnuz",
                                      "f8e5m2",
                                      "f8e5m2fnuz",
                                      "f8e8m0fnu",
                                      "pred",
                                      "s8",
                                      "u8"}) {
    EXPECT_EQ(BitsOf(name), 8) << name;
  }
  for (const std::string_view name : {"s4", "u4", "f4e2m1fn"}) {
    EXPECT_EQ(BitsOf(name), 4) << name;
  }
  EXPECT_EQ(BitsOf("s2"), 2);
  EXPECT_EQ(BitsOf("u16"), 16);
  EXPECT_EQ(BitsOf("u32"), 32);
  EXPECT_EQ(BitsOf("u64"), 64);
  EXPECT_EQ(BitsOf("c64"), 64);
  EXPECT_EQ(BitsOf("c128"), 128);
}

TEST(DTypeNamesTest, NamesOfPyTorchAndNumPyHaveTheirSizes) {
  EXPECT_EQ(DTypeNamed("torch.bfloat16"), DType::kBf16);
  EXPECT_EQ(DTypeNamed("torch.complex64"), DType::kC64);
  EXPECT_EQ(DTypeNamed("torch.float8_e8m0fnu"), DType::kF8);
  EXPECT_EQ(DTypeNamed("uint4"), DType::kI4);
  EXPECT_EQ(DTypeNamed("quint8"), DType::kU8);
  EXPECT_EQ(DTypeNamed("qint32"), DType::kI32);
  EXPECT_EQ(BitsOf("float4_e2m1fn_x2"), 8);  // a pair of elements
}

TEST(DTypeNamesTest, OtherNamesHaveNoType) {
  EXPECT_EQ(DTypeNamed("string"), std::nullopt);
  EXPECT_EQ(DTypeNamed("torch.complex32"), std::nullopt);
  EXPECT_EQ(DTypeNamed(""), std::nullopt);
}

}  // namespace
}  // namespace opyard::graphs
