#include "agents/planning/grouping/stage_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::TimedOp;
using ::testing::ElementsAre;

sim::OpSpec OpOf(const std::string& name,
                 std::int64_t us,
                 std::optional<std::int32_t> layer,
                 sim::Phase phase,
                 std::vector<sim::InputRef> inputs) {
  sim::OpSpec op = TimedOp(name, us, std::move(inputs));
  op.layer = layer;
  op.phase = phase;
  return op;
}

// Three layers of two ops forward, then one op backward for each: 0 1 | 2 3 | 4 5 | 6 (of layer 2),
// 7 (of layer 1), 8 (of layer 0). Layers take 2 + 3 + 5 = 10, 4 + 4 + 8 = 16 and 6 + 1 + 7 = 14 µs.
std::shared_ptr<const env::Problem> ThreeLayers(bool has_layers) {
  const auto layer = [&](std::int32_t number) {
    return has_layers ? std::optional(number) : std::nullopt;
  };
  constexpr sim::Phase kForward = sim::Phase::kForward;
  constexpr sim::Phase kBackward = sim::Phase::kBackward;
  return testing::MakeProblem(
      opyard::testing::MakeGraph({OpOf("a", 2, layer(0), kForward, {}),
                                  OpOf("b", 3, layer(0), kForward, {{0, 0}}),
                                  OpOf("c", 4, layer(1), kForward, {{1, 0}}),
                                  OpOf("d", 4, layer(1), kForward, {{2, 0}}),
                                  OpOf("e", 6, layer(2), kForward, {{3, 0}}),
                                  OpOf("f", 1, layer(2), kForward, {{4, 0}}),
                                  OpOf("g", 7, layer(2), kBackward, {{5, 0}, {4, 0}}),
                                  OpOf("h", 8, layer(1), kBackward, {{6, 0}, {2, 0}}),
                                  OpOf("i", 5, layer(0), kBackward, {{7, 0}, {0, 0}})}),
      opyard::testing::MeshMachine(2));
}

TEST(StageGroupsTest, ALayerStaysTogetherForwardAndBackward) {
  EXPECT_THAT(StageGroups(*ThreeLayers(true), 3).group_of, ElementsAre(0, 0, 1, 1, 2, 2, 2, 1, 0));
}

// Blocks of layers 0 | 1 2 would take 10 and 30 µs, 0 1 | 2 take 26 and 14.
TEST(StageGroupsTest, FewerGroupsAreBlocksOfLayersWhoseLongestIsShort) {
  EXPECT_THAT(StageGroups(*ThreeLayers(true), 2).group_of, ElementsAre(0, 0, 0, 0, 1, 1, 1, 0, 0));
}

// The fourth goes to layer 1, which takes longest. Of its 16 µs places c and h take 12, d 4: the
// middles of c (2 of 16), h (8) and d (14) are in the first, the second and the second half.
TEST(StageGroupsTest, MoreGroupsCutTheLongestLayers) {
  EXPECT_THAT(StageGroups(*ThreeLayers(true), 4).group_of, ElementsAre(0, 0, 1, 2, 3, 3, 3, 2, 0));
}

// Without layers a backward op is at the place of the last forward op that it reads. The places are
// a i | b | c h | d | e | f g, of 7, 3, 12, 4, 6 and 8 µs. The middle of h is at 18 of 40 µs, that
// of d at 24.
TEST(StageGroupsTest, WithoutLayersItIsCutByPlacesInTheForwardPass) {
  EXPECT_THAT(StageGroups(*ThreeLayers(false), 2).group_of, ElementsAre(0, 0, 0, 1, 1, 1, 1, 0, 0));
}

sim::DeviceKindSet CpuOnly() {
  sim::DeviceKindSet kinds = sim::DeviceKindSet::None();
  kinds.Insert(sim::DeviceKind::kCpu);
  return kinds;
}

// Ops that may only run on the CPU are one group, wherever they stand.
TEST(StageGroupsTest, WhatHasNoChoiceStandsByItself) {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 6; ++i) {
    ops.push_back(
        OpOf("op" + std::to_string(i),
             3,
             std::nullopt,
             sim::Phase::kForward,
             i == 0 ? std::vector<sim::InputRef>{} : std::vector<sim::InputRef>{{i - 1, 0}}));
    if (i % 3 == 0) {
      ops.back().device_kinds = CpuOnly();
    } else {
      ops.back().device_kinds = sim::DeviceKindSet::None();
      ops.back().device_kinds.Insert(sim::DeviceKind::kGpu);
    }
  }
  const auto problem =
      testing::MakeProblem(opyard::testing::MakeGraph(std::move(ops)), testing::MeshWithCpu(2));
  EXPECT_THAT(StageGroups(*problem, 2).group_of, ElementsAre(0, 1, 1, 0, 2, 2));
}

}  // namespace
}  // namespace opyard::agents
