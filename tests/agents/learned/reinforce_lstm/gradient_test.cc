// ColocRL's networks: gradients on the features of a real graph, and by finite differences.
#include <cmath>

#include <gtest/gtest.h>

#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/torch_session.h"
#include "agents/learned/reinforce_lstm/search.h"
#include "tests/agents/learned/real_problem.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::reinforce_lstm {
namespace {

using testing::UnevenOp;

// Every network that options ask for.
std::vector<TrainingOptions> Variants() {
  std::vector<TrainingOptions> variants(4);
  for (TrainingOptions& options : variants) {
    options.sizes = {.hidden = 8, .attention = 6, .embedding = 5};
  }
  variants[1].sizes.faithful = true;
  variants[2].sizes.adjacency = Adjacency::kRows;
  variants[3].sizes.faithful = true;
  variants[3].sizes.adjacency = Adjacency::kMeans;
  return variants;
}

class ColocRlGradientTest : public ::testing::TestWithParam<std::size_t> {
 private:
  TorchSession one_thread_{1};
};

INSTANTIATE_TEST_SUITE_P(Variants,
                         ColocRlGradientTest,
                         ::testing::Range(std::size_t{0}, std::size_t{4}));

TEST_P(ColocRlGradientTest, EveryParameterHasOneOnRealFeatures) {
  const auto problem = testing::TinyGnmt();
  Search search(*problem, Variants()[GetParam()], 3);
  Rng rng(4);
  const SampledPlacements sampled = search.policy().Sample(search.view().features, 4, rng);
  ReinforceLoss(search.policy().EvaluateActions(search.view().features, sampled.devices).log_probs,
                torch::tensor({1.0, -2.0, 0.5, 1.5}, torch::kFloat))
      .backward();
  testing::ExpectGradientsEverywhere(search.policy());
}

GroupFeatures InDouble(GroupFeatures features) {
  for (torch::Tensor* tensor : {&features.type_share,
                                &features.x,
                                &features.adjacency,
                                &features.neighbours,
                                &features.device_x}) {
    *tensor = tensor->to(torch::kDouble);
  }
  return features;
}

// In float64, where a difference over 2e-6 is good to nine digits; of each parameter the number
// with the greatest gradient.
TEST_P(ColocRlGradientTest, TheGradientOfTheLossIsThatOfFiniteDifferences) {
  const auto problem =
      testing::MakeProblem(opyard::testing::MakeGraph({UnevenOp("a", {3, 7}),
                                                       UnevenOp("b", {11, 5}, {{0, 0}}),
                                                       UnevenOp("c", {2, 13}, {{1, 0}, {0, 0}})}),
                           opyard::testing::MeshMachine(2));
  TrainingOptions options = Variants()[GetParam()];
  options.groups.rule = GroupingRule::kProblem;
  Search search(*problem, options, 3);
  Policy& policy = search.policy();
  policy.to(torch::kDouble);
  const GroupFeatures features = InDouble(search.view().features);
  const torch::Tensor devices = torch::tensor({{0, 1, 0}, {1, 1, 0}, {0, 0, 1}}, torch::kLong);
  const torch::Tensor advantages = torch::tensor({0.5, -1.0, 2.0}, torch::kDouble);
  const auto loss = [&] {
    const PlacementLogProbs evaluated = policy.EvaluateActions(features, devices);
    return ReinforceLoss(evaluated.log_probs, advantages) - 0.3 * evaluated.entropy.mean();
  };
  loss().backward();
  const torch::NoGradGuard no_grad;
  for (auto& item : policy.named_parameters()) {
    SCOPED_TRACE(item.key());
    constexpr double kStep = 1e-6;
    const torch::Tensor gradient = item.value().grad().flatten();
    const std::int64_t i = gradient.abs().argmax().item<std::int64_t>();
    const torch::Tensor weight = item.value().flatten()[i];  // a view of the parameter
    weight.add_(kStep);
    const auto above = loss().item<double>();
    weight.sub_(2.0 * kStep);
    const auto below = loss().item<double>();
    weight.add_(kStep);
    EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2.0 * kStep), 1e-7);
  }
}

}  // namespace
}  // namespace opyard::agents::reinforce_lstm
