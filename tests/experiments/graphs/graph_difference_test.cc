#include "experiments/graphs/graph_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using testing::MakeGraph;
using testing::TimedOp;

TEST(GraphDifferenceTest, EqualGraphsHaveNone) {
  const auto graph = MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}})});
  EXPECT_TRUE(Compare(*graph, *graph).is_empty());
}

TEST(GraphDifferenceTest, NamesOpsOfOneGraphOnly) {
  const auto before = MakeGraph({TimedOp("a", 2), TimedOp("b", 3)});
  const auto after = MakeGraph({TimedOp("a", 2), TimedOp("c", 3)});
  const GraphDifference difference = Compare(*before, *after);
  EXPECT_THAT(difference.only_before, ElementsAre("b"));
  EXPECT_THAT(difference.only_after, ElementsAre("c"));
  EXPECT_TRUE(difference.changes.empty());
}

TEST(GraphDifferenceTest, NamesEachAttributeThatDiffers) {
  sim::OpSpec changed = TimedOp("b", 3, {{0, 0}}, {500});
  changed.flops = Flops{7};
  const auto before = MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}})});
  const auto after = MakeGraph({TimedOp("a", 2), changed});
  const GraphDifference difference = Compare(*before, *after);
  ASSERT_EQ(difference.changes.size(), 2U);
  EXPECT_EQ(difference.changes[0].op, "b");
  EXPECT_EQ(difference.changes[0].attribute, "flops");
  EXPECT_EQ(difference.changes[0].before, "");  // the default
  EXPECT_EQ(difference.changes[0].after, "7");
  EXPECT_EQ(difference.changes[1].attribute, "outputs");
}

TEST(GraphDifferenceTest, TellsWhereTimesAreMeasuredOtherwise) {
  sim::OpGraphBuilder builder("kernels");
  builder.AddOp(TimedOp("a", 2));
  builder.SetMeasured(sim::Measured::kKernel);
  const GraphDifference difference = Compare(*MakeGraph({TimedOp("a", 2)}), *builder.Build());
  ASSERT_EQ(difference.changes.size(), 1U);
  EXPECT_EQ(difference.changes[0].op, "");
  EXPECT_EQ(difference.changes[0].attribute, "measured");
  EXPECT_EQ(difference.changes[0].before, "");  // the default
  EXPECT_EQ(difference.changes[0].after, "\"kernel\"");
}

TEST(GraphDifferenceTest, InputsAreComparedByTheNamesOfTheirProducers) {
  // The same edges under other numbers: only the order differs.
  const auto before = MakeGraph({TimedOp("a", 2), TimedOp("x", 1), TimedOp("b", 3, {{0, 0}})});
  const auto moved = MakeGraph({TimedOp("x", 1), TimedOp("a", 2), TimedOp("b", 3, {{1, 0}})});
  const GraphDifference order = Compare(*before, *moved);
  EXPECT_TRUE(order.changes.empty());
  EXPECT_TRUE(order.has_other_order);
  EXPECT_FALSE(order.is_empty());
  const auto other = MakeGraph({TimedOp("a", 2), TimedOp("x", 1), TimedOp("b", 3, {{1, 0}})});
  const GraphDifference edge = Compare(*before, *other);
  ASSERT_EQ(edge.changes.size(), 1U);
  EXPECT_EQ(edge.changes[0].attribute, "inputs");
  EXPECT_EQ(edge.changes[0].before, "[\"a:0\"]");
  EXPECT_EQ(edge.changes[0].after, "[\"x:0\"]");
}

}  // namespace
}  // namespace opyard::experiments
