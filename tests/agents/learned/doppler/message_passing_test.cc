#include "agents/learned/doppler/message_passing.h"

#include <gtest/gtest.h>

#include "agents/learned/common/reinforce.h"

namespace opyard::agents::doppler {
namespace {

constexpr std::int64_t kColumns = 2;
constexpr std::int64_t kWidth = 3;

torch::Tensor Affine(MessagePassing& network, const std::string& name, const torch::Tensor& x) {
  const auto parameters = network.named_parameters();
  return torch::linear(x, parameters[name + ".weight"], parameters[name + ".bias"]);
}

// The same edge after edge, and the GRU by its equations.
torch::Tensor ByHand(MessagePassing& network,
                     const torch::Tensor& x,
                     const std::vector<MessageEdge>& edges,
                     std::int64_t rounds) {
  const auto parameters = network.named_parameters();
  torch::Tensor state = torch::relu(Affine(network, "project", x));
  for (std::int64_t round = 0; round < rounds; ++round) {
    torch::Tensor heard = torch::zeros_like(state);
    for (const MessageEdge& edge : edges) {
      const torch::Tensor feature = torch::full({1, 1}, edge.feature, x.options());
      const torch::Tensor matrix =
          Affine(network, "edge_matrix", torch::relu(Affine(network, "edge_hidden", feature)))
              .view({kWidth, kWidth});
      heard[edge.target] += state[edge.source].matmul(matrix);
    }
    heard = torch::relu(heard + parameters["bias"]);
    const auto from_input =
        torch::linear(heard, parameters["gru.weight_ih"], parameters["gru.bias_ih"]).chunk(3, 1);
    const auto from_state =
        torch::linear(state, parameters["gru.weight_hh"], parameters["gru.bias_hh"]).chunk(3, 1);
    const torch::Tensor reset = torch::sigmoid(from_input[0] + from_state[0]);
    const torch::Tensor update = torch::sigmoid(from_input[1] + from_state[1]);
    const torch::Tensor fresh = torch::tanh(from_input[2] + reset * from_state[2]);
    state = (1 - update) * fresh + update * state;
  }
  return state;
}

std::shared_ptr<MessagePassing> Network(std::int64_t rounds) {
  auto network = std::make_shared<MessagePassing>(kColumns, kWidth, rounds);
  Rng rng(4);
  InitialiseWeights(*network, rng);
  network->to(torch::kDouble);
  const torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : network->parameters()) {
    parameter.add_(0.1);
  }
  return network;
}

MessageEdges InFloat64(MessageEdges edges) {
  edges.feature = edges.feature.to(torch::kDouble);
  edges.is_edge = edges.is_edge.to(torch::kDouble);
  return edges;
}

// Ten edges of one feature fill one block and begin another; one of a feature of its own.
TEST(DopplerMessagePassingTest, BlocksOfEdgesAreEdgeAfterEdge) {
  std::vector<MessageEdge> edges;
  for (std::int64_t i = 0; i < 10; ++i) {
    edges.push_back({.source = i % 4, .target = (i * 3 + 1) % 5, .feature = 0.5F});
  }
  edges.push_back({.source = 4, .target = 0, .feature = -1.25F});
  const torch::Tensor x = torch::linspace(-1.0, 1.0, 5 * kColumns, torch::kDouble).view({5, -1});
  const auto network = Network(2);
  const MessageEdges blocks = InFloat64(MakeMessageEdges(edges, torch::kCPU));
  EXPECT_EQ(blocks.feature.size(0), 2);
  EXPECT_EQ(blocks.feature_of_block.size(0), 3);
  EXPECT_TRUE(
      torch::allclose(network->Forward(x, blocks), ByHand(*network, x, edges, 2), 1e-12, 1e-12));
}

TEST(DopplerMessagePassingTest, AGraphWithoutEdgesHearsNothing) {
  const torch::Tensor x = torch::ones({3, kColumns}, torch::kDouble);
  const auto network = Network(2);
  const torch::Tensor out = network->Forward(x, InFloat64(MakeMessageEdges({}, torch::kCPU)));
  EXPECT_TRUE(torch::allclose(out, ByHand(*network, x, {}, 2), 1e-12, 1e-12));
}

}  // namespace
}  // namespace opyard::agents::doppler
