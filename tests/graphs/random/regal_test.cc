#include "graphs/random/regal.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

TEST(RegalGraphTest, RunTimeFollowsFromMemory) {
  const auto graph = LoadGraph("random:regal?seed=1&unit=1");
  for (std::size_t i = 0; i < graph->num_ops(); ++i) {
    const double memory =
        static_cast<double>(graph->tensor(graph->output(OpId(i), 0)).bytes.count) / 1048576.0;
    const auto times = graph->measured_times(OpId(i));
    ASSERT_EQ(times.size(), 1U);
    EXPECT_EQ(times[0].where, "*");
    // round(100 · m) + 1 microseconds. The bytes are rounded up, by at most 1e-6 of a MiB, which
    // may move 100 · m across a half.
    EXPECT_NEAR(times[0].seconds * 1e6, 100.0 * memory + 1.0, 0.5 + 1e-3);
  }
}

TEST(RegalGraphTest, MeanMemoryIsThatOfTheMixture) {
  const auto graph = LoadGraph("random:regal?n=20000&topology=barabasi_albert&unit=1");
  double sum = 0.0;
  for (const sim::Tensor& tensor : graph->tensors()) {
    sum += static_cast<double>(tensor.bytes.count) / 1048576.0;
  }
  // A Gaussian (μ, σ) kept where positive has mean μ + σ · φ(μ/σ) / Φ(μ/σ): twice μ/σ = 1 gives
  // φ/Φ = 0.24197 / 0.84134 = 0.28760, μ/σ = 3 gives 0.0044318 / 0.99865 = 0.00444, 5 gives 0.
  // (0.5 + 0.5 · 0.2876 + 1 + 0.2876 + 3.00444 + 5) / 4 = 2.48396. Its standard deviation is below
  // 2.1: standard error 2.1 / √20,000 = 0.015; five of them.
  EXPECT_NEAR(sum / 20'000.0, 2.48396, 0.075);
}

TEST(RegalGraphTest, SeedsSampleAllFourTopologiesAndBothSizes) {
  std::set<std::string> origins;
  std::set<std::size_t> sizes;
  for (int seed = 0; seed < 40; ++seed) {
    const auto graph = LoadGraph("random:regal?seed=" + std::to_string(seed));
    origins.insert(graph->origin());
    sizes.insert(graph->num_ops());
  }
  EXPECT_EQ(origins.size(), 4U);
  EXPECT_THAT(sizes, ::testing::ElementsAre(500U, 1000U));
}

TEST(RegalGraphTest, ANamedTopologyTakesItsOptions) {
  const auto graph = LoadGraph("random:regal?topology=erdos_renyi&n=30&p=1");
  EXPECT_EQ(graph->num_data_edges(), 435U);  // 30 · 29 / 2
  EXPECT_THROW(static_cast<void>(LoadGraph("random:regal?topology=fork_join")), InputError);
}

}  // namespace
}  // namespace opyard::graphs
