#include "agents/planning/grouping/coplacement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using testing::MakeProblem;

TEST(CoplacementTest, AnOpThatOneOpAloneConsumesJoinsIt) {
  // a → b → {c, d}, c → d: a joins b, c joins d; b has two consumers.
  const auto problem = MakeProblem(MakeGraph({TimedOp("a", 2),
                                              TimedOp("b", 3, {{0, 0}}),
                                              TimedOp("c", 5, {{1, 0}}),
                                              TimedOp("d", 7, {{1, 0}, {2, 0}})}),
                                   MeshMachine(2));
  EXPECT_THAT(CoplacedGroups(*problem).group_of, ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(CoplacedGroups(*problem).num_groups, 2);
}

TEST(CoplacementTest, SeveralTensorsToOneOpAreOneConsumerAndAControlEdgeIsOne) {
  // a → b twice. c is read by d, and e waits for c: two consumers.
  std::vector<sim::OpSpec> ops{TimedOp("a", 2, {}, {1000, 2000}),
                               TimedOp("b", 3, {{0, 0}, {0, 1}}, {}),
                               TimedOp("c", 5),
                               TimedOp("d", 7, {{2, 0}}),
                               TimedOp("e", 11)};
  ops[4].control_inputs = {2};
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(2));
  EXPECT_THAT(CoplacedGroups(*problem).group_of, ElementsAre(0, 0, 1, 2, 3));
}

TEST(CoplacementTest, AGroupOfSeveralOpsCountsAsOneOp) {
  // a and d share a label, and b alone reads either.
  std::vector<sim::OpSpec> ops{TimedOp("a", 2),
                               TimedOp("b", 3, {{0, 0}}, {}),
                               TimedOp("c", 5, {}, {}),
                               TimedOp("d", 7, {}, {})};
  ops[0].colocation = "x";
  ops[3].colocation = "x";
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(2));
  EXPECT_THAT(CoplacedGroups(*problem).group_of, ElementsAre(0, 0, 1, 0));
}

TEST(CoplacementTest, AGroupThatTwoGroupsConsumeStays) {
  // a and b share a label; c reads a, d reads b: each op has one consumer, the group has two.
  std::vector<sim::OpSpec> ops{TimedOp("a", 2),
                               TimedOp("b", 3),
                               TimedOp("c", 5, {{0, 0}}, {}),
                               TimedOp("d", 7, {{1, 0}}, {})};
  ops[0].colocation = "x";
  ops[1].colocation = "x";
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(2));
  EXPECT_THAT(CoplacedGroups(*problem).group_of, ElementsAre(0, 0, 1, 2));
}

TEST(CoplacementTest, OpsThatMayNotBeOnTheSameDevicesStayApart) {
  std::vector<sim::OpSpec> ops{testing::UnevenOp("host", {2, 2, 2}),
                               testing::UnevenOp("reader", {2, 2, 2}, {{0, 0}})};
  ops[0].device_kinds = sim::DeviceKindSet::None();
  ops[0].device_kinds.Insert(sim::DeviceKind::kCpu);
  const auto problem = MakeProblem(MakeGraph(ops), testing::MeshWithCpu(2));
  EXPECT_THAT(CoplacedGroups(*problem).group_of, ElementsAre(0, 1));
}

}  // namespace
}  // namespace opyard::agents
