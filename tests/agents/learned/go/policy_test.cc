#include "agents/learned/go/policy.h"

#include <vector>

#include <gtest/gtest.h>

#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/torch_session.h"
#include "tests/agents/learned/flat_gradient.h"
#include "tests/agents/learned/go/shown_problem.h"

namespace opyard::agents {
namespace {

using testing::FlatGradient;
using testing::ShownProblem;

constexpr GoSizes kSmall{.type_embedding = 3,
                         .hidden = 8,
                         .graph_layers = 1,
                         .attention_layers = 1,
                         .heads = 2,
                         .feed_forward = 12,
                         .segment = 2,
                         .levels = 3};

const std::vector<GoTask> kAll = {GoTask::kPlacement, GoTask::kScheduling, GoTask::kFusion};

// All actions of tasks with so many choices over two rows, [Π choices², T, 2].
torch::Tensor AllActions(const std::vector<std::int64_t>& num_choices) {
  std::vector<std::vector<std::int64_t>> plans = {{}};
  for (const std::int64_t choices : num_choices) {
    for (int row = 0; row < 2; ++row) {
      std::vector<std::vector<std::int64_t>> longer;
      for (const std::vector<std::int64_t>& plan : plans) {
        for (std::int64_t choice = 0; choice < choices; ++choice) {
          longer.push_back(plan);
          longer.back().push_back(choice);
        }
      }
      plans = std::move(longer);
    }
  }
  std::vector<std::int64_t> flat;
  for (const std::vector<std::int64_t>& plan : plans) {
    flat.insert(flat.end(), plan.begin(), plan.end());
  }
  return torch::tensor(flat, torch::kLong).view({std::ssize(plans), std::ssize(num_choices), 2});
}

class GoPolicyTest : public ::testing::Test {
 private:
  TorchSession one_thread_{1};
};

// 2² placements × 3² priorities × 3² fusion priorities = 324 plans.
TEST_F(GoPolicyTest, TheProbabilitiesOfAllPlansAddUpToOne) {
  const ShownProblem shown(testing::TwoOpsOnTwoDevices(), kAll);
  Rng rng(1);
  GoPolicy policy(kSmall, rng);
  const EncodedScene encoded = policy.Encode(shown.scene);
  const JudgedActions judged = policy.Judge(shown.scene, encoded, AllActions({2, 3, 3}));
  EXPECT_EQ(judged.log_probs.size(0), 324);
  EXPECT_NEAR(judged.log_probs.exp().sum().item<double>(), 1.0, 1e-4);  // 324 terms in float32
}

// What a task decides depends on what the tasks before it decided: the probability of fusion
// priorities is another one after other placements.
TEST_F(GoPolicyTest, LaterTasksKnowWhatEarlierOnesDecided) {
  const ShownProblem shown(testing::TwoOpsOnTwoDevices(), {GoTask::kPlacement, GoTask::kFusion});
  Rng rng(1);
  GoPolicy policy(kSmall, rng);
  const torch::Tensor actions =
      torch::tensor({0, 0, 1, 2, 0, 1, 1, 2}, torch::kLong).view({2, 2, 2});
  const torch::Tensor decisions =
      policy.Judge(shown.scene, policy.Encode(shown.scene), actions).decision_log_probs;
  EXPECT_EQ(decisions.size(1), 4);
  EXPECT_FALSE(torch::allclose(decisions[0].slice(0, 2, 4), decisions[1].slice(0, 2, 4)));
}

TEST_F(GoPolicyTest, TheStoredLogProbabilityIsTheRecomputedOne) {
  const ShownProblem shown(testing::ChainOfOps(7, 3), kAll);
  Rng rng(1);
  GoPolicy policy(kSmall, rng);
  const EncodedScene encoded = policy.Encode(shown.scene);
  const SampledActions sampled = policy.Sample(shown.scene, encoded, 5, rng);
  EXPECT_EQ(sampled.actions.sizes(), (std::vector<std::int64_t>{5, 3, 7}));
  EXPECT_TRUE(
      torch::allclose(policy.Judge(shown.scene, encoded, sampled.actions).decision_log_probs,
                      sampled.decisions.log_probs,
                      0.0,
                      1e-5));
}

// The second judges one plan after the other, and each again for the gradient.
TEST_F(GoPolicyTest, ManyPlansAreJudgedInChunksWithTheSameGradient) {
  const ShownProblem shown(testing::ChainOfOps(7, 3), kAll);
  Rng rng(1);
  GoPolicy policy(kSmall, rng);
  const torch::Tensor actions =
      policy.Sample(shown.scene, policy.Encode(shown.scene), 5, rng).actions;
  const auto gradient_of = [&](std::int64_t most_values) {
    const JudgedActions judged =
        policy.Judge(shown.scene, policy.Encode(shown.scene), actions, most_values);
    return FlatGradient(policy, (judged.log_probs * torch::arange(5)).sum() + judged.entropy.sum());
  };
  const torch::Tensor at_once = gradient_of(1'000'000);
  EXPECT_GT(at_once.abs().max().item<double>(), 0.01);
  EXPECT_TRUE(torch::allclose(gradient_of(1), at_once, 1e-4, 1e-6));
}

// Of 40,000 draws of 324 plans each is drawn as often as its probability says: χ² with 323 degrees
// of freedom stays below 323 + 5 √646 = 450 but once in a million.
TEST_F(GoPolicyTest, PlansAreDrawnAsOftenAsTheirProbabilitySays) {
  const ShownProblem shown(testing::TwoOpsOnTwoDevices(), kAll);
  Rng rng(2);
  GoPolicy policy(kSmall, rng);
  const EncodedScene encoded = policy.Encode(shown.scene);
  const torch::Tensor all = AllActions({2, 3, 3});
  const torch::Tensor expected =
      40'000 * policy.Judge(shown.scene, encoded, all).log_probs.detach().exp();
  const torch::Tensor drawn = policy.Sample(shown.scene, encoded, 40'000, rng).actions;
  const torch::Tensor place = torch::tensor({162, 81, 27, 9, 3, 1}, torch::kLong);
  const torch::Tensor counts =
      torch::bincount((drawn.flatten(1) * place).sum(1), {}, 324).to(torch::kFloat);
  const double chi_squared = ((counts - expected).square() / expected).sum().item<double>();
  EXPECT_LT(chi_squared, 450.0);
}

TEST_F(GoPolicyTest, WhatIsMaskedHasNoProbability) {
  ShownProblem shown(testing::TwoOpsOnTwoDevices(), {GoTask::kPlacement});
  shown.rows.mask = torch::tensor({{true, true}, {false, true}});
  Rng rng(1);
  GoPolicy policy(kSmall, rng);
  const EncodedScene encoded = policy.Encode(shown.scene);
  const torch::Tensor probs =  // of [0 0], [0 1], [1 0], [1 1]
      policy.Judge(shown.scene, encoded, AllActions({2})).log_probs.exp();
  EXPECT_EQ(probs[0].item<float>(), 0.0F);
  EXPECT_EQ(probs[2].item<float>(), 0.0F);
  const SampledActions sampled = policy.Sample(shown.scene, encoded, 200, rng);
  EXPECT_EQ(sampled.actions.select(2, 1).min().item<std::int64_t>(), 1);
  EXPECT_TRUE(torch::equal(sampled.decisions.has_choice[0], torch::tensor({true, false})));
}

// The gradient of Σ π(plan) · reward(plan) over all 324 plans, with rewards at will, is exact. The
// estimate from N samples has a relative error of some units / √N: N = 40,000 gives 0.5 % per unit,
// and 6 % is allowed.
TEST_F(GoPolicyTest, ThePolicyGradientIsThatOfTheEnumeratedExpectation) {
  const ShownProblem shown(testing::TwoOpsOnTwoDevices(), kAll);
  Rng rng(4);
  GoPolicy policy(kSmall, rng);
  const torch::Tensor all = AllActions({2, 3, 3});
  const torch::Tensor rewards = torch::arange(324, torch::kFloat).mul(0.7).sin();
  const torch::Tensor exact = FlatGradient(
      policy,
      (policy.Judge(shown.scene, policy.Encode(shown.scene), all).log_probs.exp() * rewards).sum());

  const EncodedScene encoded = policy.Encode(shown.scene);
  const torch::Tensor drawn = policy.Sample(shown.scene, encoded, 40'000, rng).actions;
  const torch::Tensor index =
      (drawn.flatten(1) * torch::tensor({162, 81, 27, 9, 3, 1}, torch::kLong)).sum(1);
  const torch::Tensor estimate =
      FlatGradient(policy,
                   ReinforceLoss(policy.Judge(shown.scene, encoded, drawn).log_probs,
                                 rewards.index_select(0, index) - rewards.mean()));
  EXPECT_LT(((estimate + exact).norm() / exact.norm()).item<double>(), 0.06);
}

// Equal devices differ in their slots alone: when the second and the third change places, so do
// their probabilities.
TEST_F(GoPolicyTest, WhenDevicesChangePlacesSoDoTheirProbabilities) {
  ShownProblem shown(testing::ChainOfOps(5, 3), {GoTask::kPlacement});
  Rng rng(1);
  GoPolicy policy(kSmall, rng);
  const torch::Tensor order = torch::tensor({0, 2, 1}, torch::kLong);
  const torch::Tensor actions = torch::tensor({0, 1, 2, 1, 0}, torch::kLong).view({1, 1, 5});
  const torch::Tensor before =
      policy.Judge(shown.scene, policy.Encode(shown.scene), actions).decision_log_probs;
  shown.devices.x = shown.devices.x.index_select(0, order);
  shown.devices.slot = shown.devices.slot.index_select(0, order);
  shown.devices.pair = shown.devices.pair.index_select(0, order).index_select(1, order);
  const torch::Tensor swapped = order.index_select(0, actions.flatten()).view({1, 1, 5});
  const torch::Tensor after =
      policy.Judge(shown.scene, policy.Encode(shown.scene), swapped).decision_log_probs;
  EXPECT_TRUE(torch::allclose(after, before, 1e-4, 1e-5));
}

// Links of the first two that are slower are seen, those that are as they were are not.
TEST_F(GoPolicyTest, DevicesAreToldApartByTheirLinks) {
  ShownProblem shown(testing::ChainOfOps(5, 3), {GoTask::kPlacement});
  Rng rng(1);
  GoPolicy policy(kSmall, rng);
  const auto log_probs = [&] {
    return policy
        .Judge(shown.scene, policy.Encode(shown.scene), torch::zeros({1, 1, 5}, torch::kLong))
        .decision_log_probs;
  };
  const torch::Tensor before = log_probs();
  shown.devices.pair[0][1][0] += 0.5;
  EXPECT_FALSE(torch::allclose(log_probs(), before, 1e-4, 1e-5));
}

// With a matrix M of zeros the first pass tells the second nothing.
TEST_F(GoPolicyTest, APassSeesTheProbabilitiesOfTheOneBefore) {
  const ShownProblem shown(testing::ChainOfOps(5, 3), kAll);
  GoSizes sizes = kSmall;
  sizes.refinement = 2;
  Rng rng(1);
  GoPolicy policy(sizes, rng);
  Rng same(1);
  GoPolicy once(kSmall, same);
  const torch::Tensor twice = policy.Encode(shown.scene).rows;
  EXPECT_EQ(twice.sizes(), once.Encode(shown.scene).rows.sizes());
  EXPECT_FALSE(torch::allclose(twice, once.Encode(shown.scene).rows, 1e-3, 1e-4));
  const torch::NoGradGuard no_grad;
  for (const auto& parameter : policy.named_parameters()) {
    if (parameter.key().starts_with("refine")) {
      parameter.value().zero_();
    } else {
      once.named_parameters()[parameter.key()].copy_(parameter.value());
    }
  }
  EXPECT_TRUE(torch::equal(policy.Encode(shown.scene).rows, once.Encode(shown.scene).rows));
}

// One set of weights for graphs and machines of all sizes, one op on one device among them.
TEST_F(GoPolicyTest, OneSetOfWeightsServesAllSizes) {
  Rng rng(1);
  GoPolicy policy(kSmall, rng);
  for (const auto& [num_ops, num_devices] :
       {std::pair<std::int32_t, std::size_t>{1, 1}, {2, 8}, {4, 2}, {5, 3}}) {
    const ShownProblem shown(testing::ChainOfOps(num_ops, num_devices), kAll);
    const torch::Tensor likeliest = policy.Likeliest(shown.scene, policy.Encode(shown.scene));
    EXPECT_EQ(likeliest.sizes(), (std::vector<std::int64_t>{1, 3, num_ops}));
    EXPECT_LT(likeliest[0][0].max().item<std::int64_t>(), static_cast<std::int64_t>(num_devices));
  }
}

// The likeliest action of each row, given those before it, is what Judge finds most probable.
TEST_F(GoPolicyTest, TheLikeliestPlacementIsTheOneOfGreatestProbability) {
  const ShownProblem shown(testing::TwoOpsOnTwoDevices(), {GoTask::kPlacement});
  Rng rng(1);
  GoPolicy policy(kSmall, rng);
  const EncodedScene encoded = policy.Encode(shown.scene);
  const torch::Tensor all = AllActions({2});
  const auto best = policy.Judge(shown.scene, encoded, all).log_probs.argmax().item<std::int64_t>();
  EXPECT_TRUE(torch::equal(policy.Likeliest(shown.scene, encoded)[0], all[best]));
}

}  // namespace
}  // namespace opyard::agents
