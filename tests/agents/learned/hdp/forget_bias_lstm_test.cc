#include "agents/learned/hdp/forget_bias_lstm.h"

#include <gtest/gtest.h>

#include "agents/learned/common/reinforce.h"

namespace opyard::agents::hdp {
namespace {

constexpr std::int64_t kInput = 3;
constexpr std::int64_t kHidden = 2;

// The cell's formulas, step by step: i, f, g and o of [x, h] · weightᵀ, with 1 added to f.
torch::Tensor ByHand(const torch::Tensor& x, const torch::Tensor& weight) {
  torch::Tensor h = torch::zeros({x.size(0), kHidden});
  torch::Tensor c = torch::zeros({x.size(0), kHidden});
  std::vector<torch::Tensor> outputs;
  for (std::int64_t step = 0; step < x.size(1); ++step) {
    const auto gates = torch::cat({x.select(1, step), h}, 1).matmul(weight.t()).chunk(4, 1);
    c = torch::sigmoid(gates[1] + 1.0) * c + torch::sigmoid(gates[0]) * torch::tanh(gates[2]);
    h = torch::sigmoid(gates[3]) * torch::tanh(c);
    outputs.push_back(h);
  }
  return torch::stack(outputs, 1);
}

TEST(ForgetBiasLstmTest, BothDirectionsAreTheCellStepByStep) {
  ForgetBiasLstm lstm(kInput, kHidden, /*is_bidirectional=*/true);
  Rng rng(1);
  InitialiseWeights(lstm, rng);
  lstm.OpenForgetGates();
  EXPECT_EQ(lstm.parameters().size(), 3U);  // a matrix each, and one number
  const torch::NoGradGuard no_grad;
  const torch::Tensor x = torch::arange(24.0F).view({2, 4, kInput}) / 24.0;
  const torch::Tensor outputs = std::get<0>(lstm.forward(x));  // [2, 4, 2 · kHidden]
  auto parameters = lstm.named_parameters();
  EXPECT_TRUE(
      torch::allclose(outputs.slice(2, 0, kHidden), ByHand(x, parameters["weight"]), 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(outputs.slice(2, kHidden),
                              ByHand(x.flip(1), parameters["reverse_weight"]).flip(1),
                              1e-5,
                              1e-6));
}

}  // namespace
}  // namespace opyard::agents::hdp
