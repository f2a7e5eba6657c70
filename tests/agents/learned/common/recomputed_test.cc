#include "agents/learned/common/recomputed.h"

#include <gtest/gtest.h>

namespace opyard::agents {
namespace {

// Three chunks of two rows of tanh(x W) · v(chunk): a matrix that all share, a vector for each.
struct Model {
  torch::Tensor weights = torch::tensor({{0.5F, -1.0F}, {2.0F, 0.25F}}).requires_grad_();
  torch::Tensor factors = torch::tensor({1.0F, -2.0F, 3.0F}).requires_grad_();

  [[nodiscard]] torch::Tensor Of(const torch::Tensor& input, std::int64_t chunk) const {
    return torch::tanh(input.matmul(weights)) * factors[chunk];
  }
  [[nodiscard]] torch::Tensor AtOnce(const torch::Tensor& input) const {
    return torch::cat({Of(input, 0), Of(input, 1), Of(input, 2)});
  }
};

torch::Tensor Input() {
  return torch::tensor({{0.1F, 0.2F}, {-0.3F, 0.4F}});
}

TEST(RecomputedTest, ResultAndGradientsAreThoseOfAllChunksAtOnce) {
  const Model at_once;
  const torch::Tensor x = Input().requires_grad_();
  const torch::Tensor seed = torch::arange(12, torch::kFloat).view({6, 2});
  const torch::Tensor wanted = at_once.AtOnce(x * 2.0);
  (wanted * seed).sum().backward();

  const Model model;
  const torch::Tensor y = Input().requires_grad_();
  const torch::Tensor found = Recomputed(
      y * 2.0, 3, [&](const torch::Tensor& input, std::int64_t i) { return model.Of(input, i); });
  (found * seed).sum().backward();
  EXPECT_TRUE(torch::allclose(found, wanted));
  EXPECT_TRUE(torch::allclose(y.grad(), x.grad()));
  EXPECT_TRUE(torch::allclose(model.weights.grad(), at_once.weights.grad()));
  EXPECT_TRUE(torch::allclose(model.factors.grad(), at_once.factors.grad()));
}

TEST(RecomputedTest, EachChunkIsComputedOnceForTheResultAndOnceForTheGradient) {
  const Model model;
  std::vector<std::int64_t> asked;
  const torch::Tensor found =
      Recomputed(Input().requires_grad_(), 3, [&](const torch::Tensor& input, std::int64_t i) {
        asked.push_back(i);
        return model.Of(input, i);
      });
  EXPECT_EQ(asked, (std::vector<std::int64_t>{0, 1, 2}));
  found.sum().backward();
  EXPECT_EQ(asked, (std::vector<std::int64_t>{0, 1, 2, 0, 1, 2}));
}

TEST(RecomputedTest, WithoutGradientsThereIsOnlyTheResult) {
  const torch::NoGradGuard no_grad;
  const Model model;
  const torch::Tensor found = Recomputed(
      Input(), 3, [&](const torch::Tensor& input, std::int64_t i) { return model.Of(input, i); });
  EXPECT_TRUE(torch::equal(found, model.AtOnce(Input())));
  EXPECT_FALSE(found.requires_grad());
}

}  // namespace
}  // namespace opyard::agents
