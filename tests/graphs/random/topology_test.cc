#include "graphs/random/topology.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace opyard::graphs {
namespace {

// The edges as pairs in ascending order; a loop or a repeated pair makes the test fail.
std::set<std::pair<std::int32_t, std::int32_t>> PairsOf(const std::vector<NodePair>& edges) {
  std::set<std::pair<std::int32_t, std::int32_t>> pairs;
  for (const NodePair& edge : edges) {
    EXPECT_NE(edge.a, edge.b);
    EXPECT_TRUE(pairs.insert(std::minmax(edge.a, edge.b)).second) << edge.a << " " << edge.b;
  }
  return pairs;
}

std::vector<int> DegreesOf(std::int32_t num_nodes, const std::vector<NodePair>& edges) {
  std::vector<int> degrees(static_cast<std::size_t>(num_nodes));
  for (const NodePair& edge : edges) {
    ++degrees[static_cast<std::size_t>(edge.a)];
    ++degrees[static_cast<std::size_t>(edge.b)];
  }
  return degrees;
}

TEST(TopologyTest, OrientingKeepsEachEdgeOnceAndPointsForward) {
  Rng rng(3);
  const std::vector<NodePair> edges = SampleErdosRenyi(50, 0.2, rng);
  const Topology topology = OrientRandomly(50, edges, rng);
  ASSERT_EQ(topology.size(), 50U);
  std::size_t count = 0;
  for (std::size_t node = 0; node < topology.size(); ++node) {
    count += topology[node].size();
    EXPECT_TRUE(std::ranges::is_sorted(topology[node], std::ranges::less_equal{}));
    EXPECT_TRUE(topology[node].empty() || topology[node].back() < static_cast<std::int32_t>(node));
  }
  EXPECT_EQ(count, edges.size());
}

TEST(TopologyTest, ErdosRenyiTakesEveryPairOrNoneAtTheEndsOfItsRange) {
  Rng rng(1);
  EXPECT_EQ(PairsOf(SampleErdosRenyi(7, 1.0, rng)).size(), 21U);  // 7 · 6 / 2
  EXPECT_TRUE(SampleErdosRenyi(7, 0.0, rng).empty());
  EXPECT_TRUE(SampleErdosRenyi(1, 1.0, rng).empty());
}

TEST(TopologyTest, ErdosRenyiTakesItsShareOfThePairs) {
  Rng rng(1);
  const auto pairs = PairsOf(SampleErdosRenyi(1000, 0.05, rng));
  // 499,500 pairs · 0.05 = 24,975; standard deviation √(499,500 · 0.05 · 0.95) = 154; five of them.
  EXPECT_NEAR(static_cast<double>(pairs.size()), 24'975.0, 770.0);
}

TEST(TopologyTest, ErdosRenyiFavoursNoNode) {
  Rng rng(2);
  std::vector<int> degrees(10);
  for (int i = 0; i < 1000; ++i) {
    const std::vector<int> sampled = DegreesOf(10, SampleErdosRenyi(10, 0.3, rng));
    std::ranges::transform(degrees, sampled, degrees.begin(), std::plus<>());
  }
  for (const int degree : degrees) {
    // 9,000 pairs of each node · 0.3 = 2,700; standard deviation √(9,000 · 0.21) = 43; five.
    EXPECT_NEAR(degree, 2700, 217);
  }
}

TEST(TopologyTest, CommunitiesAreJoinedWithinAndAcrossAsAsked) {
  Rng rng(1);
  // 3 communities of 3, 3 and 4 nodes: 3 + 3 + 6 pairs within, 9 + 12 + 12 across.
  EXPECT_EQ(
      PairsOf(SampleStochasticBlock(10, {.num_communities = 3, .p_in = 1, .p_out = 0}, rng)).size(),
      12U);
  EXPECT_EQ(
      PairsOf(SampleStochasticBlock(10, {.num_communities = 3, .p_in = 0, .p_out = 1}, rng)).size(),
      33U);
}

TEST(TopologyTest, ARingWithoutRewiringIsRegular) {
  Rng rng(1);
  const std::vector<NodePair> edges = SampleWattsStrogatz(11, 4, 0.0, rng);
  EXPECT_EQ(PairsOf(edges).size(), 22U);  // 11 · 4 / 2
  EXPECT_EQ(DegreesOf(11, edges), std::vector<int>(11, 4));
}

TEST(TopologyTest, RewiringKeepsTheNumberOfEdges) {
  Rng rng(5);
  for (const double rewire : {0.1, 1.0}) {
    EXPECT_EQ(PairsOf(SampleWattsStrogatz(30, 4, rewire, rng)).size(), 60U);
  }
  EXPECT_EQ(PairsOf(SampleWattsStrogatz(5, 4, 1.0, rng)).size(), 10U);  // complete already
}

TEST(TopologyTest, ARingTooSmallForItsDegreeIsComplete) {
  Rng rng(1);
  EXPECT_EQ(PairsOf(SampleWattsStrogatz(4, 8, 0.5, rng)).size(), 6U);
}

TEST(TopologyTest, PreferentialAttachmentAddsItsEdgesPerNode) {
  Rng rng(1);
  // A triangle, then 2 edges for each of 97 nodes.
  EXPECT_EQ(PairsOf(SampleBarabasiAlbert(100, 2, rng)).size(), 3U + 2U * 97U);
  EXPECT_EQ(PairsOf(SampleBarabasiAlbert(3, 5, rng)).size(), 3U);
}

TEST(TopologyTest, PreferentialAttachmentMakesHubs) {
  Rng rng(1);
  const std::vector<int> degrees = DegreesOf(2000, SampleBarabasiAlbert(2000, 2, rng));
  // The mean degree is 4. A random graph of that mean has no node of 20 (Poisson: 2e-8 per node);
  // under preferential attachment the first nodes have about 2 · √2000 = 89.
  EXPECT_GT(std::ranges::max(degrees), 40);
}

}  // namespace
}  // namespace opyard::graphs
