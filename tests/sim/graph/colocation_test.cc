#include "sim/graph/colocation.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opyard::sim {
namespace {

using ::testing::ElementsAre;

// One op of a chain or a set, with an output of `bytes` bytes.
OpSpec Node(const std::string& name,
            std::vector<InputRef> inputs,
            std::int64_t bytes,
            const std::string& label = "") {
  return {.name = name,
          .type = "Relu",
          .inputs = std::move(inputs),
          .outputs = {{.bytes = Bytes{bytes}}},
          .colocation = label};
}

OpSpec CpuNode(const std::string& name) {
  OpSpec op = Node(name, {}, 0);
  op.device_kinds = DeviceKindSet::None();
  op.device_kinds.Insert(DeviceKind::kCpu);
  return op;
}

std::shared_ptr<const OpGraph> Build(std::vector<OpSpec> ops) {
  OpGraphBuilder builder("test");
  for (OpSpec& op : ops) {
    builder.AddOp(std::move(op));
  }
  return builder.Build();
}

Grouping Coarsen(const OpGraph& graph, std::int32_t max_groups) {
  return CoarsenGroups(graph, ColocationGroups(graph), max_groups);
}

TEST(ColocationGroupsTest, LabelsGatherOpsAndTheRestStandsAlone) {
  const auto graph =
      Build({Node("a", {}, 2, "g"), Node("b", {}, 2), Node("c", {}, 2, "g"), Node("d", {}, 2)});

  EXPECT_THAT(ColocationGroups(*graph).group_of, ElementsAre(0, 1, 0, 2));
}

TEST(ColocationGroupsTest, NumbersFollowTheTopologicalOrder) {
  // b reads a, which stands behind it in the file.
  const auto graph = Build({Node("b", {{1, 0}}, 2), Node("a", {}, 2)});

  EXPECT_THAT(ColocationGroups(*graph).group_of, ElementsAre(1, 0));
}

TEST(CoarsenGroupsTest, FewGroupsStayAsTheyAre) {
  const auto graph = Build({Node("a", {}, 2), Node("b", {{0, 0}}, 2)});

  EXPECT_EQ(Coarsen(*graph, 2), ColocationGroups(*graph));
}

TEST(CoarsenGroupsTest, TheHeaviestEdgeIsMergedFirst) {
  // a →2→ b →5→ c →3→ d; three groups are allowed, so only b and c are joined.
  const auto graph = Build(
      {Node("a", {}, 2), Node("b", {{0, 0}}, 5), Node("c", {{1, 0}}, 3), Node("d", {{2, 0}}, 2)});

  EXPECT_THAT(Coarsen(*graph, 3).group_of, ElementsAre(0, 1, 1, 2));
}

TEST(CoarsenGroupsTest, AGroupHoldsAtMostTwiceItsShare) {
  // A chain of 9 ops in 3 groups: at most 2·9/3 = 6 ops each. The edges carry 9, 8, … 2 bytes: the
  // first five join ops 0 … 5, op 6 would be the seventh, so op 7 joins op 6: three groups.
  std::vector<OpSpec> ops = {Node("op0", {}, 9)};
  for (std::int64_t i = 1; i < 9; ++i) {
    ops.push_back(Node("op" + std::to_string(i), {{i - 1, 0}}, 9 - i));
  }

  EXPECT_THAT(Coarsen(*Build(std::move(ops)), 3).group_of, ElementsAre(0, 0, 0, 0, 0, 0, 1, 1, 2));
}

TEST(CoarsenGroupsTest, WithoutEdgesNeighboursAreJoined) {
  const auto graph =
      Build({Node("a", {}, 0), Node("b", {}, 0), Node("c", {}, 0), Node("d", {}, 0)});

  EXPECT_THAT(Coarsen(*graph, 2).group_of, ElementsAre(0, 0, 1, 1));
}

TEST(CoarsenGroupsTest, OpsOfOtherKindsStayApart) {
  const auto graph = Build({Node("a", {}, 0), CpuNode("b"), Node("c", {}, 0), CpuNode("d")});

  EXPECT_THAT(Coarsen(*graph, 1).group_of, ElementsAre(0, 1, 0, 1));
}

TEST(CoarsenGroupsTest, NeverMoreThanAskedOnALongChain) {
  std::vector<OpSpec> ops = {Node("op0", {}, 1)};
  for (std::int64_t i = 1; i < 1000; ++i) {
    ops.push_back(Node("op" + std::to_string(i), {{i - 1, 0}}, i % 7));
  }
  const auto graph = Build(std::move(ops));

  for (const std::int32_t most : {1, 2, 3, 17, 64, 512, 999}) {
    const Grouping grouping = Coarsen(*graph, most);
    EXPECT_LE(grouping.num_groups, most);
    EXPECT_EQ(std::set(grouping.group_of.begin(), grouping.group_of.end()).size(),
              static_cast<std::size_t>(grouping.num_groups));
  }
}

}  // namespace
}  // namespace opyard::sim
