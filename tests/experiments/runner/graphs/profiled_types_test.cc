// Which ops of a graph names in a profile speak of.
#include "experiments/runner/graphs/profiled_types.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

ProfiledTypes TypesOf(const std::string& a, const std::string& b) {
  return ProfiledTypes(*testing::MakeGraph({{.name = "a", .type = a}, {.name = "b", .type = b}}));
}

TEST(ProfiledTypesTest, AtenNamesAreOfTheTypeThatImportersGiveThem) {
  const ProfiledTypes types = TypesOf("MatMul", "Add");
  EXPECT_EQ(types.TypeIn("aten::mm"), "matmul");
  EXPECT_EQ(types.TypeIn("aten::addmm"), "matmul");
  EXPECT_EQ(types.TypeIn("aten::add_"), "add");
  EXPECT_EQ(types.TypeIn("aten::relu"), "");
}

TEST(ProfiledTypesTest, TheGraphsOwnNamesComeFirst) {
  const ProfiledTypes types = TypesOf("mm", "MatMul");
  EXPECT_EQ(types.TypeIn("aten::mm"), "mm");
  EXPECT_EQ(types.TypeIn("MM"), "mm");
  EXPECT_EQ(types.TypeIn("addmm"), "");
}

TEST(ProfiledTypesTest, ViewsTakeNoTime) {
  EXPECT_EQ(TypesOf("Transpose", "Reshape").TypeIn("aten::t"), "");
  EXPECT_EQ(TypesOf("t", "Reshape").TypeIn("aten::t"), "t");
}

}  // namespace
}  // namespace opyard::experiments
