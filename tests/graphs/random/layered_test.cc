#include "graphs/random/layered.h"

#include <bit>
#include <cstdint>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

using GraphPointer = std::shared_ptr<const sim::OpGraph>;

std::size_t CountOfType(const sim::OpGraph& graph, const std::string& type) {
  std::size_t count = 0;
  for (const sim::Op& op : graph.ops()) {
    count += op.type == type ? 1 : 0;
  }
  return count;
}

std::size_t CountOfPhase(const sim::OpGraph& graph, sim::Phase phase) {
  std::size_t count = 0;
  for (const sim::Op& op : graph.ops()) {
    count += op.phase == phase ? 1 : 0;
  }
  return count;
}

// FNV-1a over everything that decides a simulation.
std::uint64_t HashOf(const sim::OpGraph& graph) {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 1099511628211ULL; };
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const OpId id(i);
    const sim::Op& op = graph.op(id);
    for (const char letter : op.type) {
      mix(static_cast<std::uint64_t>(letter));
    }
    mix(std::bit_cast<std::uint64_t>(op.flops.count));
    mix(static_cast<std::uint64_t>(op.bytes_accessed.count));
    mix(static_cast<std::uint64_t>(op.param_bytes.count));
    for (const TensorId input : graph.inputs(id)) {
      mix(static_cast<std::uint64_t>(input.value));
    }
    for (std::size_t output = 0; output < graph.num_outputs(id); ++output) {
      mix(static_cast<std::uint64_t>(graph.tensor(graph.output(id, output)).bytes.count));
    }
  }
  return hash;
}

TEST(LayeredGraphTest, JobsAreGraphsThatShareNothingAndArriveOneAfterAnother) {
  const auto alone = LoadGraph("random:layered?n=50&seed=4");
  const auto graph = LoadGraph("random:layered?n=50&seed=4&jobs=4&interarrival=0.01");
  ASSERT_EQ(graph->num_ops(), 200U);
  SimTime last{-1};
  for (std::size_t i = 0; i < graph->num_ops(); ++i) {
    const std::size_t job = i / 50;
    const sim::Op& op = graph->op(OpId(i));
    EXPECT_TRUE(op.name.starts_with("job" + std::to_string(job) + "/")) << op.name;
    EXPECT_EQ(op.release, graph->op(OpId(job * 50)).release);
    for (const TensorId input : graph->inputs(OpId(i))) {
      EXPECT_EQ(graph->tensor(input).producer.index() / 50, job);
    }
    if (i % 50 == 0) {
      EXPECT_GT(op.release, last);
      last = op.release;
    }
    if (job == 0) {
      EXPECT_EQ(op.release, SimTime{});
      EXPECT_EQ(op.name, "job0/" + alone->op(OpId(i)).name);
      EXPECT_EQ(op.flops, alone->op(OpId(i)).flops);
    }
  }
  EXPECT_NE(graph->op(OpId(std::size_t{60})).flops, graph->op(OpId(std::size_t{110})).flops);
}

// The mean of 999 exponential gaps lies within four standard errors, 4 / √999 of it.
TEST(LayeredGraphTest, GapsBetweenJobsHaveTheMeanAskedFor) {
  const auto graph = LoadGraph("random:layered?n=1&jobs=1000&interarrival=2");
  const double mean_s = graph->op(OpId(std::size_t{999})).release.seconds() / 999;
  EXPECT_NEAR(mean_s, 2.0, 2.0 * 4.0 / 31.6);
}

TEST(LayeredGraphTest, AllJobsTogetherHaveAsManyOpsAsOneMayHave) {
  try {
    (void)LoadGraph("random:layered?n=1001&jobs=1000");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("option jobs: found 1000 jobs of 1001 ops, expected at most "
                                     "1000000 ops in all"));
  }
}

TEST(LayeredGraphTest, HasExactlyTheOpsAskedFor) {
  for (const int n : {1, 2, 3, 7, 10, 500, 1000, 4001}) {
    EXPECT_EQ(LoadGraph("random:layered?seed=3&n=" + std::to_string(n))->num_ops(),
              static_cast<std::size_t>(n));
  }
}

TEST(LayeredGraphTest, DividesTheOpsAsTheSharesSay) {
  const GraphPointer graph = LoadGraph("random:layered?n=1000&variables=0.2&backward=0.3");
  EXPECT_EQ(CountOfType(*graph, "Variable"), 200U);              // 0.2 · 1000
  EXPECT_EQ(CountOfPhase(*graph, sim::Phase::kBackward), 300U);  // 0.3 · 1000
  EXPECT_EQ(CountOfPhase(*graph, sim::Phase::kForward), 500U);   // the rest
}

TEST(LayeredGraphTest, IsAsDeepAsItsLayersWithoutBackward) {
  const GraphPointer graph = LoadGraph("random:layered?n=300&layers=17&backward=0&variables=0");
  std::vector<int> depth(graph->num_ops(), 1);
  int greatest = 0;
  for (const OpId op : graph->topological_order()) {
    for (const TensorId input : graph->inputs(op)) {
      depth[op.index()] =
          std::max(depth[op.index()], depth[graph->tensor(input).producer.index()] + 1);
    }
    greatest = std::max(greatest, depth[op.index()]);
  }
  EXPECT_EQ(greatest, 17);
}

TEST(LayeredGraphTest, MeanFanInIsNearTheOneAskedFor) {
  const GraphPointer graph =
      LoadGraph("random:layered?n=20000&layers=50&fan_in=3&backward=0&variables=0&heavy=1");
  // Layer 0 has 400 placeholders; 19,600 ops sample 1 + Between(0, 4) inputs: mean 3, standard
  // error √2 / √19600 ≈ 0.01; 0.05 is five of them.
  const double mean = static_cast<double>(graph->num_data_edges()) / 19600.0;
  EXPECT_NEAR(mean, 3.0, 0.05);
}

TEST(LayeredGraphTest, EveryForwardOpBeyondLayerZeroReadsTheLayerBefore) {
  const GraphPointer graph = LoadGraph("random:layered?n=400&skip=1");
  for (std::size_t i = 0; i < graph->num_ops(); ++i) {
    const sim::Op& op = graph->op(OpId(i));
    if (op.phase == sim::Phase::kForward && *op.layer > 0) {
      const sim::Tensor& first = graph->tensor(graph->inputs(OpId(i))[0]);
      EXPECT_EQ(graph->op(first.producer).layer, *op.layer - 1);
    }
  }
}

TEST(LayeredGraphTest, CcrSetsTheFlopsOfHeavyOps) {
  const GraphPointer graph =
      LoadGraph("random:layered?n=100&ccr=2&heterogeneity=0&heavy=1&backward=0&memory_scale=0.5");
  // 2 MiB over 10 GB/s take 209.7152 us; half of it at 10 TFLOP/s are 1,048,576,000 FLOP.
  const sim::Op& last = graph->op(OpId(std::size_t{99}));
  EXPECT_EQ(last.type, "MatMul");
  EXPECT_EQ(last.flops.count, 1'048'576'000.0);
  EXPECT_EQ(graph->tensor(graph->output(OpId(std::size_t{99}), 0)).bytes, Bytes{2 * 1024 * 1024});
}

TEST(LayeredGraphTest, HeavyBackwardTwinsDoTwiceTheFlopsAndMakeAWeightGradient) {
  const GraphPointer graph =
      LoadGraph("random:layered?n=100&heterogeneity=0&heavy=1&layers=5&ccr=1");
  // 10 Variables, 40 backward, 50 forward of which the first 10 are placeholders.
  const sim::Op& twin = graph->op(OpId(std::size_t{60}));
  const sim::Op& forward = graph->op(OpId(std::size_t{59}));
  EXPECT_EQ(twin.phase, sim::Phase::kBackward);
  EXPECT_EQ(twin.flops.count, 2 * forward.flops.count);
  EXPECT_EQ(graph->num_outputs(OpId(std::size_t{60})), 2U);
}

TEST(LayeredGraphTest, EqualOptionsGiveEqualGraphsAndSeedsDiffer) {
  const std::string options = "random:layered?n=700&seed=";
  EXPECT_EQ(HashOf(*LoadGraph(options + "7")), HashOf(*LoadGraph(options + "7")));
  EXPECT_NE(HashOf(*LoadGraph(options + "7")), HashOf(*LoadGraph(options + "8")));
}

TEST(LayeredGraphTest, TheGraphOfSeedSevenIsTheOneThatWasShipped) {
  // Golden: changes only with the generator; then say why in the commit.
  EXPECT_EQ(HashOf(*LoadGraph("random:layered?n=1000&seed=7")), 3615460289204408672ULL);
}

TEST(LayeredGraphTest, AMillionOpsAreMade) {
  EXPECT_EQ(LoadGraph("random:layered?n=1000000&layers=1000")->num_ops(), 1'000'000U);
}

TEST(LayeredGraphTest, ExtremeOptionsStillMakeALegalGraph) {
  EXPECT_EQ(LoadGraph("random:layered?n=1000&heterogeneity=3&memory_scale=1e3&ccr=1e-3&fan_in=16"
                      "&heavy=0.5&layers=1000&backward=0.5&variables=0.5")
                ->num_ops(),
            1000U);
}

}  // namespace
}  // namespace opyard::graphs
