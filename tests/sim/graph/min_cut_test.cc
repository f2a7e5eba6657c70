#include "sim/graph/min_cut.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/rng.h"

namespace opyard::sim {
namespace {

using ::testing::ElementsAre;

constexpr CutSide kFree = CutSide::kFree;
constexpr CutSide kSource = CutSide::kSource;
constexpr CutSide kSink = CutSide::kSink;

TEST(MinimumCutTest, CutsTheThinnestPlaceOfAChain) {
  // 0 –7– 1 –2– 2 –5– 3
  const std::vector<Net> nets = {{.nodes = {0, 1}, .capacity = 7},
                                 {.nodes = {1, 2}, .capacity = 2},
                                 {.nodes = {2, 3}, .capacity = 5}};
  const MinimumCut cut = FindMinimumCut(std::vector{kSource, kFree, kFree, kSink}, nets);
  EXPECT_EQ(cut.capacity, 2);
  EXPECT_THAT(cut.is_source_side, ElementsAre(true, true, false, false));
}

TEST(MinimumCutTest, ANetOfManyNodesIsCutOnce) {
  // Cutting the net of four costs 5, whoever is on which side; 1 – 4 costs 3, 2 – 4 and 3 – 4 too.
  const std::vector<Net> nets = {{.nodes = {0, 1, 2, 3}, .capacity = 5},
                                 {.nodes = {1, 4}, .capacity = 3},
                                 {.nodes = {2, 4}, .capacity = 3},
                                 {.nodes = {3, 4}, .capacity = 3}};
  const MinimumCut cut = FindMinimumCut(std::vector{kSource, kFree, kFree, kFree, kSink}, nets);
  EXPECT_EQ(cut.capacity, 5);  // three pair edges instead would make 9
  EXPECT_THAT(cut.is_source_side, ElementsAre(true, false, false, false, false));
}

TEST(MinimumCutTest, NodesOfOneSideAreOne) {
  const std::vector<Net> nets = {{.nodes = {0, 1}, .capacity = 1},
                                 {.nodes = {1, 2}, .capacity = 4},
                                 {.nodes = {2, 3}, .capacity = 2}};
  const MinimumCut cut = FindMinimumCut(std::vector{kSource, kSource, kFree, kSink}, nets);
  EXPECT_EQ(cut.capacity, 2);  // not 1, which would part the two sources
}

TEST(MinimumCutTest, WhatNothingHoldsIsNotOnTheSourceSide) {
  const MinimumCut cut = FindMinimumCut(std::vector{kSource, kFree, kSink}, {});
  EXPECT_EQ(cut.capacity, 0);
  EXPECT_THAT(cut.is_source_side, ElementsAre(true, false, false));
}

// The capacity of the nets that `mask` parts; bit i set puts node i on the source side.
std::int64_t CapacityOf(const std::vector<Net>& nets, unsigned mask) {
  std::int64_t capacity = 0;
  for (const Net& net : nets) {
    unsigned num_in = 0;
    for (const std::int32_t node : net.nodes) {
      num_in += mask >> static_cast<unsigned>(node) & 1U;
    }
    capacity += num_in > 0 && num_in < net.nodes.size() ? net.capacity : 0;
  }
  return capacity;
}

TEST(MinimumCutTest, AgreesWithAllCutsOnRandomNets) {
  constexpr std::size_t kNumNodes = 7;
  Rng rng(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<Net> nets(1 + rng.Below(12));
    for (Net& net : nets) {
      for (std::int32_t node = 0; node < static_cast<std::int32_t>(kNumNodes); ++node) {
        if (rng.Below(3) == 0) {
          net.nodes.push_back(node);
        }
      }
      net.capacity = static_cast<std::int64_t>(rng.Below(6));
    }
    std::vector<CutSide> sides(kNumNodes, kFree);
    sides[2] = kSource;
    sides[5] = kSink;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (unsigned mask = 0; mask < 1U << kNumNodes; ++mask) {
      if ((mask >> 2U & 1U) == 1 && (mask >> 5U & 1U) == 0) {
        least = std::min(least, CapacityOf(nets, mask));
      }
    }
    const MinimumCut cut = FindMinimumCut(sides, nets);
    unsigned found = 0;
    for (std::size_t node = 0; node < kNumNodes; ++node) {
      found |= cut.is_source_side[node] ? 1U << node : 0U;
    }
    EXPECT_EQ(cut.capacity, least) << "round " << round;
    EXPECT_EQ(CapacityOf(nets, found), least) << "round " << round;
  }
}

}  // namespace
}  // namespace opyard::sim
