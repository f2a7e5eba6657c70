#include "agents/learned/go/graph_encoder.h"

#include <vector>

#include <gtest/gtest.h>

#include "agents/learned/common/reinforce.h"
#include "env/observation.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::go {
namespace {

using testing::MakeProblem;
using testing::UnevenOp;

constexpr GraphEncoder::Sizes kSmallEncoder{.type_embedding = 3, .hidden = 8, .layers = 2};

// a feeds b and c, both feed d; e stands alone.
env::Observation Diamond() {
  return env::Observe(
      *MakeProblem(opyard::testing::MakeGraph({UnevenOp("a", {3, 7}),
                                               UnevenOp("b", {11, 5}, {{0, 0}}),
                                               UnevenOp("c", {2, 13}, {{0, 0}}),
                                               UnevenOp("d", {6, 4}, {{1, 0}, {2, 0}}),
                                               UnevenOp("e", {9, 1})}),
                   opyard::testing::MeshMachine(2)));
}

std::shared_ptr<GraphEncoder> Encoder() {
  auto encoder = std::make_shared<GraphEncoder>(kSmallEncoder);
  Rng rng(5);
  InitialiseWeights(*encoder, rng);
  return encoder;
}

torch::Tensor Matrix(const torch::nn::Module& module, const std::string& name) {
  return module.named_parameters()[name + ".weight"];
}

// The element-wise maximum of ReLU(P h(u) + Q edge_x(u, v)), without biases, over the edges between
// `op` and its producers or its consumers. [hidden]
torch::Tensor PoolOf(const SageLayer& layer,
                     const env::Observation& seen,
                     const torch::Tensor& ops,
                     std::int64_t op,
                     bool is_of_producers) {
  const std::string name = is_of_producers ? "producer" : "consumer";
  torch::Tensor pooled = torch::zeros(kSmallEncoder.hidden);
  const auto num_edges = static_cast<std::size_t>(seen.num_edges);
  for (std::size_t edge = 0; edge < num_edges; ++edge) {
    const std::int64_t producer = seen.edge_index[edge];
    const std::int64_t consumer = seen.edge_index[num_edges + edge];
    if ((is_of_producers ? consumer : producer) != op) {
      continue;
    }
    const std::vector<float> columns(
        seen.edge_x.begin() + static_cast<std::ptrdiff_t>(edge * env::kNumEdgeFeatures),
        seen.edge_x.begin() + static_cast<std::ptrdiff_t>((edge + 1) * env::kNumEdgeFeatures));
    const torch::Tensor messages = torch::relu(
        Matrix(layer, name + "_ops").matmul(ops[is_of_producers ? producer : consumer]) +
        Matrix(layer, name + "_edges").matmul(torch::tensor(columns)));
    pooled = torch::maximum(pooled, messages);
  }
  return pooled;
}

torch::Tensor SlowLayer(const SageLayer& layer,
                        const env::Observation& seen,
                        const torch::Tensor& ops) {
  std::vector<torch::Tensor> rows;
  for (std::int64_t op = 0; op < seen.num_ops; ++op) {
    const torch::Tensor messages = torch::cat(
        {ops[op], PoolOf(layer, seen, ops, op, true), PoolOf(layer, seen, ops, op, false)});
    rows.push_back(torch::layer_norm(
        ops[op] + torch::relu(Matrix(layer, "combine").matmul(messages)), {kSmallEncoder.hidden}));
  }
  return torch::stack(rows);
}

TEST(SageLayerTest, PoolsWhatProducersAndConsumersSend) {
  SageLayer layer(kSmallEncoder.hidden);
  Rng rng(5);
  InitialiseWeights(layer, rng);
  const env::Observation seen = Diamond();
  const torch::Tensor ops = torch::linspace(-1, 1, seen.num_ops * kSmallEncoder.hidden)
                                .view({seen.num_ops, kSmallEncoder.hidden})
                                .sin();
  EXPECT_TRUE(torch::allclose(
      layer.Forward(ops, MakeOpGraph(seen).links), SlowLayer(layer, seen, ops), 1e-4, 1e-5));
}

// An op alone hears nothing: what it becomes depends on itself only.
TEST(GraphEncoderTest, AnOpAloneHearsNothing) {
  const auto encoder = Encoder();
  OpGraph graph = MakeOpGraph(Diamond());
  const torch::Tensor before = encoder->Forward(graph);
  graph.x = graph.x.clone();
  graph.x.slice(0, 0, 4) += 0.3;
  const torch::Tensor after = encoder->Forward(graph);
  EXPECT_TRUE(torch::equal(after[4], before[4]));
  EXPECT_FALSE(torch::allclose(after[3], before[3]));
}

// Two layers: d hears of a, two edges away, through b and c; a graph of one op has no edges.
TEST(GraphEncoderTest, TwoLayersReachTwoEdgesFar) {
  const auto encoder = Encoder();
  OpGraph graph = MakeOpGraph(Diamond());
  const torch::Tensor before = encoder->Forward(graph);
  graph.x = graph.x.clone();
  graph.x[0] += 0.3;
  EXPECT_FALSE(torch::allclose(encoder->Forward(graph)[3], before[3]));

  const env::Observation one = env::Observe(*MakeProblem(
      opyard::testing::MakeGraph({UnevenOp("a", {3, 7})}), opyard::testing::MeshMachine(2)));
  EXPECT_EQ(encoder->Forward(MakeOpGraph(one)).sizes(), (std::vector<std::int64_t>{1, 8}));
}

// With the ops numbered anew, the edges with them, each op becomes what it became.
TEST(GraphEncoderTest, TheNumbersOfOpsMeanNothing) {
  const auto encoder = Encoder();
  const env::Observation seen = Diamond();
  const std::vector<std::int64_t> number = {3, 0, 4, 1, 2};  // new number of each op
  env::Observation renumbered = seen;
  for (std::int64_t& end : renumbered.edge_index) {
    end = number[static_cast<std::size_t>(end)];
  }
  for (std::size_t op = 0; op < number.size(); ++op) {
    const auto place = static_cast<std::size_t>(number[op]);
    renumbered.op_type[place] = seen.op_type[op];
    std::copy_n(seen.x.begin() + static_cast<std::ptrdiff_t>(op * env::kNumFeatures),
                env::kNumFeatures,
                renumbered.x.begin() + static_cast<std::ptrdiff_t>(place * env::kNumFeatures));
  }
  const torch::Tensor found = encoder->Forward(MakeOpGraph(renumbered));
  EXPECT_TRUE(torch::allclose(found.index_select(0, torch::tensor(number, torch::kLong)),
                              encoder->Forward(MakeOpGraph(seen)),
                              1e-4,
                              1e-5));
}

}  // namespace
}  // namespace opyard::agents::go
