#include "sim/graph/algorithms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opyard::sim {
namespace {

using ::testing::ElementsAre;

// c(0) reads b; a(1); b(2) reads a; d(3) waits for a; e(4) stands alone.
std::shared_ptr<const OpGraph> Branches() {
  OpGraphBuilder builder("branches");
  const std::vector<OutputSpec> one = {{.bytes = Bytes{2}}};
  builder.AddOp({.name = "c", .type = "Relu", .inputs = {{2, 0}}, .outputs = one});
  builder.AddOp({.name = "a", .type = "Relu", .outputs = one});
  builder.AddOp({.name = "b", .type = "Relu", .inputs = {{1, 0}}, .outputs = one});
  builder.AddOp({.name = "d", .type = "Relu", .control_inputs = {1}, .outputs = one});
  builder.AddOp({.name = "e", .type = "Relu", .outputs = one});
  return builder.Build();
}

TEST(OpDepthsTest, CountsDataAndControlEdges) {
  EXPECT_THAT(OpDepths(*Branches()), ElementsAre(2, 0, 1, 1, 0));
}

TEST(ExtentOfTest, IsTheLongestPathAndTheWidestLevel) {
  const GraphExtent extent = ExtentOf(*Branches());
  EXPECT_EQ(extent.depth, 3);  // a, b, c
  EXPECT_EQ(extent.width, 2);  // a and e, or b and d
}

TEST(LongestPathTest, SumsTimesAlongEdges) {
  // a b c: 3 + 5 + 2 = 10; a d: 3 + 8 = 11; e: 7.
  const std::vector<SimTime> times = {SimTime{2}, SimTime{3}, SimTime{5}, SimTime{8}, SimTime{7}};
  EXPECT_EQ(LongestPath(*Branches(), times).picoseconds, 11);
}

TEST(LongestPathTest, PassesNoOpBeforeItsRelease) {
  OpGraphBuilder builder("chain");
  builder.AddOp({.name = "a", .type = "Relu", .release = SimTime{4}});
  builder.AddOp({.name = "b", .type = "Relu", .control_inputs = {0}, .release = SimTime{6}});
  builder.AddOp({.name = "c", .type = "Relu", .control_inputs = {1}, .release = SimTime{20}});
  // a 4–7, b 7–12 although released at 6; c, released at 20, 20–22.
  EXPECT_EQ(LongestPath(*builder.Build(), std::vector{SimTime{3}, SimTime{5}, SimTime{2}}),
            SimTime{22});
}

}  // namespace
}  // namespace opyard::sim
