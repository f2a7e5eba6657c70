// Values of a JsonTree as text again.
#include "sim/io/json/json_tree_text.h"

#include <string>

#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace opyard::sim {
namespace {

JsonTree TreeOf(const std::string& text) {
  Diagnostics diagnostics;
  JsonTree tree = ParseJson(text, "t.json", diagnostics);
  diagnostics.ThrowIfAny();
  return tree;
}

TEST(JsonTreeTextTest, AValueIsWhatWasRead) {
  const std::string text =
      R"([[2,3],[],{"a":"b\"\n","c":{}},null,true,false,-7,0.5,"[1, 1]","\u00e9"])";
  const std::string written = JsonTextOf(TreeOf(text), 0);
  EXPECT_EQ(written, R"([[2,3],[],{"a":"b\"\n","c":{}},null,true,false,-7,0.5,"[1, 1]","é"])");
  EXPECT_EQ(JsonTextOf(TreeOf(written), 0), written);
}

TEST(JsonTreeTextTest, AMemberIsWrittenWithoutItsKey) {
  EXPECT_EQ(JsonTextOf(TreeOf(R"({"Input Dims": [[4, 3], []]})"), 1), "[[4,3],[]]");
}

TEST(JsonTreeTextTest, NumbersBeyond64BitsAreTheNearestDouble) {
  EXPECT_EQ(std::stod(JsonTextOf(TreeOf("123456789012345678901"), 0)), 123456789012345678901.0);
}

}  // namespace
}  // namespace opyard::sim
