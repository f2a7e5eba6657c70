#include "sim/graph/dominators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_graphs.h"

namespace opyard::sim {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::TimedOp;
using opyard::testing::VariableOp;
using ::testing::ElementsAre;

constexpr std::int32_t kNoLimit = 1'000'000;

std::vector<std::vector<std::int32_t>> Lists(const EdgeLists& edges) {
  std::vector<std::vector<std::int32_t>> lists;
  for (std::size_t node = 0; node < edges.num_nodes(); ++node) {
    const auto successors = edges.successors(node);
    lists.emplace_back(successors.begin(), successors.end());
  }
  return lists;
}

std::vector<std::int32_t> Merged(std::vector<OpSpec> ops, std::int32_t max_ops) {
  const auto graph = MakeGraph(std::move(ops));
  return MergeDominated(*graph, ColocationGroups(*graph), max_ops).group_of;
}

TEST(TransitiveReductionTest, DropsWhatALongerPathImplies) {
  // 0 → 1 → 2 → 3, and 0 → 2, 0 → 3, and 1 → 2 again.
  const std::vector<EdgeLists::Edge> edges = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 2}, {2, 3}};
  EXPECT_THAT(Lists(TransitiveReduction(EdgeLists(4, edges))),
              ElementsAre(ElementsAre(1), ElementsAre(2), ElementsAre(3), ElementsAre()));
}

TEST(TransitiveReductionTest, KeepsADiamond) {
  const std::vector<EdgeLists::Edge> edges = {{3, 1}, {3, 2}, {1, 0}, {2, 0}};
  EXPECT_THAT(Lists(TransitiveReduction(EdgeLists(4, edges))),
              ElementsAre(ElementsAre(), ElementsAre(0), ElementsAre(0), ElementsAre(1, 2)));
}

TEST(ImmediateDominatorsTest, ADiamondIsDominatedByItsTop) {
  const std::vector<EdgeLists::Edge> edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}};
  EXPECT_THAT(ImmediateDominators(EdgeLists(5, edges)), ElementsAre(-1, 0, 0, 0, 3));
}

TEST(ImmediateDominatorsTest, WhatTwoSourcesReachHasNone) {
  const std::vector<EdgeLists::Edge> edges = {{0, 2}, {1, 2}, {2, 3}};
  EXPECT_THAT(ImmediateDominators(EdgeLists(4, edges)), ElementsAre(-1, -1, -1, 2));
}

TEST(MergeDominatedTest, ABlockThatPartsAndJoinsIsOneRegion) {
  // e stands alone.
  EXPECT_THAT(Merged({TimedOp("a", 1),
                      TimedOp("b", 1, {{.op = 0}}),
                      TimedOp("c", 1, {{.op = 0}}),
                      TimedOp("d", 1, {{.op = 1}, {.op = 2}}),
                      TimedOp("e", 1)},
                     kNoLimit),
              ElementsAre(0, 0, 0, 0, 1));
}

TEST(MergeDominatedTest, AnEdgeAroundABlockIsNoWayIn) {
  // c reads a and b; b and c are a region of two because a → c is implied. Counted, it would make a
  // the dominator of both b and c, and d that of nothing but the next.
  EXPECT_THAT(
      Merged(
          {TimedOp("a", 1), TimedOp("b", 1, {{.op = 0}}), TimedOp("c", 1, {{.op = 0}, {.op = 1}})},
          2),
      ElementsAre(0, 1, 1));
}

TEST(MergeDominatedTest, RegionsStopAtTheirLimit) {
  // A chain of five, from its end: {e, d, c}, then {b, a}.
  EXPECT_THAT(Merged({TimedOp("a", 1),
                      TimedOp("b", 1, {{.op = 0}}),
                      TimedOp("c", 1, {{.op = 1}}),
                      TimedOp("d", 1, {{.op = 2}}),
                      TimedOp("e", 1, {{.op = 3}})},
                     3),
              ElementsAre(0, 0, 1, 1, 1));
}

TEST(MergeDominatedTest, AVariableAndItsUpdateMakeNoCircle) {
  // w → a → b → update, where w and update are one group: it stands at the update.
  std::vector<OpSpec> ops = {VariableOp("w", 100),
                             TimedOp("a", 1, {{.op = 0}}),
                             TimedOp("b", 1, {{.op = 1}}),
                             TimedOp("update", 1, {{.op = 2}, {.op = 0}})};
  ops[0].colocation = "w";
  ops[3].colocation = "w";
  EXPECT_THAT(Merged(ops, 3), ElementsAre(0, 1, 0, 0));  // b takes {w, update}; a no longer fits
}

TEST(MergeDominatedTest, OtherDeviceKindsStayApart) {
  std::vector<OpSpec> ops = {TimedOp("a", 1), TimedOp("b", 1, {{.op = 0}})};
  ops[1].device_kinds = DeviceKindSet::None();
  ops[1].device_kinds.Insert(DeviceKind::kCpu);
  EXPECT_THAT(Merged(ops, kNoLimit), ElementsAre(0, 1));
}

TEST(MergeDominatedTest, LargeGraphsAreMergedAlongEdgesFirst) {
  constexpr std::int64_t kLength = 10'000;
  std::vector<OpSpec> ops = {TimedOp("op0", 1)};
  for (std::int64_t i = 1; i < kLength; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 1, {{.op = i - 1}}));
  }
  const std::vector<std::int32_t> groups = Merged(std::move(ops), 1000);
  EXPECT_TRUE(std::ranges::is_sorted(groups));  // runs of the chain
  EXPECT_LE(groups.back(), 10);                 // at most 1000 ops in one, nearly all full
}

}  // namespace
}  // namespace opyard::sim
