#include "graphs/microbatches/microbatch_names.h"

#include <gtest/gtest.h>

namespace opyard::graphs {
namespace {

TEST(MicrobatchNamesTest, TheSuffixNamesTheMicrobatch) {
  EXPECT_EQ(NameInMicrobatch("layer0/MatMul", 12), "layer0/MatMul@mb12");
  EXPECT_EQ(FindMicrobatch("layer0/MatMul@mb12"), 12);
  EXPECT_EQ(NameOfAllMicrobatches("layer0/MatMul@mb12"), "layer0/MatMul");
}

TEST(MicrobatchNamesTest, OtherNamesHaveNone) {
  for (const char* name : {"", "MatMul", "@mb", "a@mb-1", "a@mb1b", "a@mb1/b", "a@mb99999999999"}) {
    EXPECT_EQ(FindMicrobatch(name), std::nullopt) << name;
    EXPECT_EQ(NameOfAllMicrobatches(name), name);
  }
}

}  // namespace
}  // namespace opyard::graphs
