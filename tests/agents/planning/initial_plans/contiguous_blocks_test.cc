#include "agents/planning/initial_plans/contiguous_blocks.h"

#include <algorithm>
#include <cstdint>

#include <gtest/gtest.h>

namespace opyard::agents {
namespace {

using Blocks = std::vector<std::size_t>;

// Stages of these seconds that need no memory.
std::vector<StageLoad> Taking(const std::vector<double>& seconds) {
  std::vector<StageLoad> stages;
  for (const double value : seconds) {
    stages.push_back({.seconds = value});
  }
  return stages;
}

// Stages of one second each that need these bytes.
std::vector<StageLoad> Holding(const std::vector<double>& bytes) {
  std::vector<StageLoad> stages;
  for (const double value : bytes) {
    stages.push_back({.seconds = 1.0, .bytes = value});
  }
  return stages;
}

TEST(ContiguousBlocksTest, TheBusiestBlockTakesTheLeastTime) {
  // 2 + 3 | 5 | 1 + 4: no cut of these 15 s into three is below the longest of 5.
  EXPECT_EQ(BalancedBlocks(Taking({2, 3, 5, 1, 4}), std::vector<BlockDevice>(3)),
            (Blocks{0, 0, 1, 2, 2}));
}

TEST(ContiguousBlocksTest, AFasterDeviceTakesMore) {
  // 6 s at speed 3 and 2 s at speed 1 take 2 s each.
  EXPECT_EQ(BalancedBlocks(Taking({2, 2, 2, 2}), std::vector<BlockDevice>{{.speed = 3.0}, {}}),
            (Blocks{0, 0, 0, 1}));
}

TEST(ContiguousBlocksTest, FittingComesBeforeTime) {
  // 2 | 2 stages would be even, but 30 + 40 bytes do not fit into 50.
  const std::vector<BlockDevice> devices(2, {.speed = 1.0, .room_bytes = 50.0});
  EXPECT_EQ(BalancedBlocks(Holding({30, 40, 5, 5}), devices), (Blocks{0, 1, 1, 1}));
}

TEST(ContiguousBlocksTest, WhatFitsNowhereIsSharedByRoom) {
  // 20 + 30 | 50 fill their 25 bytes twice each; every other cut fills one of them more often.
  const std::vector<BlockDevice> devices(2, {.speed = 1.0, .room_bytes = 25.0});
  EXPECT_EQ(BalancedBlocks(Holding({20, 30, 50}), devices), (Blocks{0, 0, 1}));
}

TEST(ContiguousBlocksTest, NoDeviceIsLeftOutWhereThereAreStagesEnough) {
  // One stage has all the time, so that the cut of the others changes nothing.
  EXPECT_EQ(BalancedBlocks(Taking({0, 0, 0, 9}), std::vector<BlockDevice>(3)),
            (Blocks{0, 0, 1, 2}));
  EXPECT_EQ(BalancedBlocks(Taking({9, 0, 0, 0}), std::vector<BlockDevice>(3)),
            (Blocks{0, 1, 2, 2}));
}

TEST(ContiguousBlocksTest, FewerStagesThanDevicesAreABlockEach) {
  const Blocks blocks = BalancedBlocks(Taking({3, 2}), std::vector<BlockDevice>(4));
  EXPECT_EQ(blocks.size(), 2U);
  EXPECT_LT(blocks[0], blocks[1]);
}

// The worst block of the cut before stages `first` and `second`, by trying all of them.
double LeastWorstOfThree(const std::vector<double>& seconds) {
  double least = 1e9;
  for (std::size_t first = 0; first <= seconds.size(); ++first) {
    for (std::size_t second = first; second <= seconds.size(); ++second) {
      double sums[3] = {};
      for (std::size_t i = 0; i < seconds.size(); ++i) {
        sums[i < first ? 0 : i < second ? 1 : 2] += seconds[i];
      }
      least = std::min(least, std::max({sums[0], sums[1], sums[2]}));
    }
  }
  return least;
}

TEST(ContiguousBlocksTest, NoCutOfThreeIsBetter) {
  std::uint64_t state = 5;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> seconds;
    for (int i = 0; i < 3 + trial % 8; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      seconds.push_back(static_cast<double>(state >> 59));  // 0 … 31
    }
    const Blocks blocks = BalancedBlocks(Taking(seconds), std::vector<BlockDevice>(3));
    double sums[3] = {};
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      sums[blocks[i]] += seconds[i];
    }
    EXPECT_EQ(std::max({sums[0], sums[1], sums[2]}), LeastWorstOfThree(seconds));
  }
}

}  // namespace
}  // namespace opyard::agents
