#include "sim/graph/forward_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opyard::sim {
namespace {

using ::testing::ElementsAre;

OpSpec Node(const std::string& name, Phase phase, std::vector<InputRef> inputs) {
  return {.name = name,
          .type = "Relu",
          .inputs = std::move(inputs),
          .outputs = {{.bytes = Bytes{2}}},
          .phase = phase};
}

std::shared_ptr<const OpGraph> Build(std::vector<OpSpec> ops) {
  OpGraphBuilder builder("test");
  for (OpSpec& op : ops) {
    builder.AddOp(std::move(op));
  }
  return builder.Build();
}

TEST(ForwardOrderTest, GroupsFollowTheirFirstForwardOpThatReadsTensors) {
  // Weights of groups 0 and 1 stand in the other order than their products.
  const auto graph = Build({Node("w0", Phase::kForward, {}),
                            Node("w1", Phase::kForward, {}),
                            Node("p1", Phase::kForward, {{1, 0}}),
                            Node("p0", Phase::kForward, {{0, 0}, {2, 0}}),
                            Node("b0", Phase::kBackward, {{3, 0}}),
                            Node("b1", Phase::kBackward, {{4, 0}})});

  EXPECT_THAT(GroupsInForwardOrder(*graph, {.group_of = {0, 1, 1, 0, 0, 1}, .num_groups = 2}),
              ElementsAre(1, 0));
}

TEST(ForwardOrderTest, GroupsWithoutForwardOpsStandWhereTheyRun) {
  const auto graph = Build({Node("first", Phase::kForward, {}),
                            Node("back", Phase::kBackward, {{0, 0}}),
                            Node("late", Phase::kForward, {{1, 0}})});

  EXPECT_THAT(GroupsInForwardOrder(*graph, {.group_of = {0, 2, 1}, .num_groups = 3}),
              ElementsAre(0, 2, 1));
}

TEST(ForwardOrderTest, WithoutPhasesAllOpsAreForwardOps) {
  const auto graph = Build({Node("w", Phase::kUnknown, {}),
                            Node("x", Phase::kUnknown, {}),
                            Node("y", Phase::kUnknown, {{1, 0}}),
                            Node("z", Phase::kUnknown, {{0, 0}, {2, 0}})});

  // Group 0 is "w" and "z", of which "z" reads.
  EXPECT_THAT(GroupsInForwardOrder(*graph, {.group_of = {0, 1, 1, 0}, .num_groups = 2}),
              ElementsAre(1, 0));
}

}  // namespace
}  // namespace opyard::sim
