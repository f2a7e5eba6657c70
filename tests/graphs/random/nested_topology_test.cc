#include "graphs/random/nested_topology.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace opyard::graphs {
namespace {

std::vector<std::vector<std::int32_t>> SuccessorsOf(const Topology& topology) {
  std::vector<std::vector<std::int32_t>> successors(topology.size());
  for (std::size_t node = 0; node < topology.size(); ++node) {
    for (const std::int32_t before : topology[node]) {
      successors[static_cast<std::size_t>(before)].push_back(static_cast<std::int32_t>(node));
    }
  }
  return successors;
}

bool HasOneSourceAndOneSink(const Topology& topology) {
  const auto is_empty = [](const auto& list) { return list.empty(); };
  return std::ranges::count_if(topology, is_empty) == 1 &&
         std::ranges::count_if(SuccessorsOf(topology), is_empty) == 1;
}

bool PointsForward(const Topology& topology) {
  for (std::size_t node = 0; node < topology.size(); ++node) {
    for (const std::int32_t before : topology[node]) {
      if (before >= static_cast<std::int32_t>(node)) {
        return false;
      }
    }
  }
  return true;
}

RC_GTEST_PROP(SeriesParallelTest, HasItsNodesOneSourceAndOneSink, ()) {
  const auto num_nodes = *rc::gen::inRange(1, 300);
  const auto parallel = *rc::gen::element(0.0, 0.5, 1.0);
  Rng rng(*rc::gen::arbitrary<std::uint64_t>());
  const Topology topology = SampleSeriesParallel(num_nodes, parallel, rng);
  RC_ASSERT(topology.size() == static_cast<std::size_t>(num_nodes));
  RC_ASSERT(PointsForward(topology));
  RC_ASSERT(HasOneSourceAndOneSink(topology));
}

RC_GTEST_PROP(ForkJoinTest, HasItsNodesOneSourceAndOneSink, ()) {
  const auto num_nodes = *rc::gen::inRange(1, 300);
  const auto branches = *rc::gen::inRange(1, 20);
  const auto length = *rc::gen::inRange(1, 20);
  Rng rng(*rc::gen::arbitrary<std::uint64_t>());
  const Topology topology = SampleForkJoin(num_nodes, branches, length, rng);
  RC_ASSERT(topology.size() == static_cast<std::size_t>(num_nodes));
  RC_ASSERT(PointsForward(topology));
  RC_ASSERT(HasOneSourceAndOneSink(topology));
}

TEST(SeriesParallelTest, IsAChainWithoutParallelParts) {
  Rng rng(4);
  const Topology topology = SampleSeriesParallel(40, 0.0, rng);
  for (std::int32_t node = 1; node < 40; ++node) {
    EXPECT_EQ(topology[static_cast<std::size_t>(node)], std::vector<std::int32_t>{node - 1});
  }
}

TEST(SeriesParallelTest, SmallestParallelPartIsADiamond) {
  Rng rng(4);
  EXPECT_EQ(SampleSeriesParallel(4, 1.0, rng), (Topology{{}, {0}, {0}, {1, 2}}));
}

TEST(ForkJoinTest, OneBranchOfOneNodeIsAChain) {
  Rng rng(4);
  // 1 … 2 · 1 − 1 = 1 branch of 1 node.
  EXPECT_EQ(SampleForkJoin(5, 1, 1, rng), (Topology{{}, {0}, {1}, {2}, {3}}));
}

TEST(ForkJoinTest, BranchesOfAStageMeetInOneNode) {
  Rng rng(4);
  const auto successors = SuccessorsOf(SampleForkJoin(200, 5, 3, rng));
  const auto most = std::ranges::max(successors, {}, &std::vector<std::int32_t>::size);
  EXPECT_GT(most.size(), 1U);
  EXPECT_LE(most.size(), 9U);  // 2 · 5 − 1
}

}  // namespace
}  // namespace opyard::graphs
