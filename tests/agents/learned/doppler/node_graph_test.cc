#include "agents/learned/doppler/node_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/learned/doppler/doppler_problems.h"

namespace opyard::agents::doppler {
namespace {

using testing::DiamondAndOne;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::kPerOp;
using testing::kUs;
using ::testing::Pointwise;

NodeGraph GraphOf(const env::Problem& problem, const GroupingOptions& groups = kPerOp) {
  return MakeNodeGraph(problem, MakeGroupSequence(problem, groups), TransferTimes(problem));
}

std::vector<std::int64_t> NodesOf(const std::vector<NodeLink>& links) {
  std::vector<std::int64_t> nodes;
  for (const NodeLink& link : links) {
    nodes.push_back(link.node);
  }
  return nodes;
}

// Sums of few doubles of about 1e-5.
auto AreMicroseconds(const std::vector<double>& us) {
  std::vector<double> seconds;
  for (const double value : us) {
    seconds.push_back(value * kUs);
  }
  return Pointwise(DoubleNear(1e-18), seconds);
}

TEST(DopplerNodeGraphTest, LinksAreTensorsAndControlEdgesWithTheirTimes) {
  const NodeGraph graph = GraphOf(*DiamondAndOne());
  EXPECT_THAT(NodesOf(graph.consumers[0]), ElementsAre(1, 2));
  EXPECT_THAT(NodesOf(graph.producers[3]), ElementsAre(1, 2));
  EXPECT_TRUE(graph.producers[4].empty());
  EXPECT_DOUBLE_EQ(graph.consumers[0][0].seconds, 4 * kUs);
  EXPECT_DOUBLE_EQ(graph.producers[3][0].seconds, 0.0);  // the control edge
  EXPECT_DOUBLE_EQ(graph.producers[3][1].seconds, 1 * kUs);
}

// d 3; c 5 + 1 + 3; b 10 + 3; a 2 + 4 + 13 by b; e alone.
TEST(DopplerNodeGraphTest, BottomLevelsAreLongestPathsToASink) {
  const NodeLevels levels = BottomLevels(GraphOf(*DiamondAndOne()));
  EXPECT_THAT(levels.seconds, AreMicroseconds({19, 13, 9, 3, 1}));
  EXPECT_THAT(levels.next, ElementsAre(1, 3, 3, -1, -1));
}

// a 2; b 10 + 4 + 2; c 5 + 4 + 2; d 3 + 16 by b.
TEST(DopplerNodeGraphTest, TopLevelsAreLongestPathsToASource) {
  const NodeLevels levels = TopLevels(GraphOf(*DiamondAndOne()));
  EXPECT_THAT(levels.seconds, AreMicroseconds({2, 16, 11, 19, 1}));
  EXPECT_THAT(levels.next, ElementsAre(-1, 0, 0, 1, -1));
}

// a and c are one node, which b reads and which reads b.
TEST(DopplerNodeGraphTest, ALinkThatMergingMadeLeadBackIsLeftOut) {
  std::vector<sim::OpSpec> ops = {opyard::testing::TimedOp("a", 2),
                                  opyard::testing::TimedOp("b", 3, {{0, 0}}),
                                  opyard::testing::TimedOp("c", 5, {{1, 0}})};
  ops[0].colocation = "together";
  ops[2].colocation = "together";
  const auto problem = testing::MakeProblem(opyard::testing::MakeGraph(std::move(ops)),
                                            opyard::testing::MeshMachine(2));
  const NodeGraph graph = GraphOf(*problem);
  ASSERT_EQ(graph.num_nodes, 2);
  EXPECT_THAT(NodesOf(graph.consumers[0]), ElementsAre(1));
  EXPECT_TRUE(graph.consumers[1].empty());
  EXPECT_DOUBLE_EQ(graph.SecondsOn(0, 1), 7 * kUs);
}

TEST(DopplerNodeGraphTest, WherePlacementIsNoTaskANodeHasItsDefaultDeviceAlone) {
  const NodeGraph graph = GraphOf(*DiamondAndOne(testing::kScheduling));
  for (std::int64_t node = 0; node < graph.num_nodes; ++node) {
    EXPECT_TRUE(graph.MayBeOn(node, 0));
    EXPECT_FALSE(graph.MayBeOn(node, 1));
  }
}

TEST(DopplerNodeGraphTest, WhereMemoryIsIgnoredADeviceHoldsAnything) {
  sim::HardwareProfile machine = opyard::testing::MeshMachine(2);
  const auto graph_on = [&] {
    return GraphOf(*testing::MakeProblem(
        opyard::testing::MakeGraph({opyard::testing::TimedOp("a", 2)}), machine));
  };
  EXPECT_THAT(graph_on().capacity, ElementsAre(Bytes{1'000'000}, Bytes{1'000'000}));
  machine.memory.on_exceed = sim::OnExceed::kIgnore;
  EXPECT_GT(graph_on().capacity[1], Bytes{1'000'000'000'000'000});
}

}  // namespace
}  // namespace opyard::agents::doppler
