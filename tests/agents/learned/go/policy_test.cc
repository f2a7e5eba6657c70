#include "agents/learned/go/policy.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/torch_session.h"
#include "tests/agents/learned/flat_gradient.h"
#include "tests/agents/learned/go/shown_problem.h"

namespace opyard::agents::go {
namespace {

using testing::FlatGradient;
using testing::ShownProblem;

constexpr Sizes kSmallPolicy{.type_embedding = 3,
                             .hidden = 8,
                             .graph_layers = 1,
                             .attention_layers = 1,
                             .heads = 2,
                             .feed_forward = 12,
                             .segment = 2,
                             .levels = 3};

const std::vector<Task> kAll = {Task::kPlacement, Task::kScheduling, Task::kFusion};

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
  Policy policy(kSmallPolicy, rng);
  const EncodedInput encoded = policy.Encode(shown.input);
  const ActionLogProbs evaluated =
      policy.EvaluateActions(shown.input, encoded, {AllActions({2, 3, 3})});
  EXPECT_EQ(evaluated.log_probs.size(0), 324);
  EXPECT_NEAR(evaluated.log_probs.exp().sum().item<double>(), 1.0, 1e-4);  // 324 terms in float32
}

// The decisions of a task depend on those of the tasks before it: the probability of fusion
// priorities is another one after other placements.
TEST_F(GoPolicyTest, LaterTasksKnowWhatEarlierOnesDecided) {
  const ShownProblem shown(testing::TwoOpsOnTwoDevices(), {Task::kPlacement, Task::kFusion});
  Rng rng(1);
  Policy policy(kSmallPolicy, rng);
  const torch::Tensor actions =
      torch::tensor({0, 0, 1, 2, 0, 1, 1, 2}, torch::kLong).view({2, 2, 2});
  const torch::Tensor decisions =
      policy.EvaluateActions(shown.input, policy.Encode(shown.input), {actions}).decision_log_probs;
  EXPECT_EQ(decisions.size(1), 4);
  EXPECT_FALSE(torch::allclose(decisions[0].slice(0, 2, 4), decisions[1].slice(0, 2, 4)));
}

TEST_F(GoPolicyTest, TheStoredLogProbabilityIsTheRecomputedOne) {
  const ShownProblem shown(testing::ChainOfOps(7, 3), kAll);
  Rng rng(1);
  Policy policy(kSmallPolicy, rng);
  const EncodedInput encoded = policy.Encode(shown.input);
  const SampledActions sampled = policy.Sample(shown.input, encoded, 5, rng);
  EXPECT_EQ(sampled.actions.sizes(), (std::vector<std::int64_t>{5, 3, 7}));
  EXPECT_TRUE(torch::allclose(
      policy.EvaluateActions(shown.input, encoded, {sampled.actions}).decision_log_probs,
      sampled.decisions.log_probs,
      0.0,
      1e-5));
}

// The second evaluates one plan after the other, and each again for the gradient.
TEST_F(GoPolicyTest, ManyPlansAreEvaluatedInChunksWithTheSameGradient) {
  const ShownProblem shown(testing::ChainOfOps(7, 3), kAll);
  Rng rng(1);
  Policy policy(kSmallPolicy, rng);
  const torch::Tensor actions =
      policy.Sample(shown.input, policy.Encode(shown.input), 5, rng).actions;
  const auto gradient_of = [&](std::int64_t most_values) {
    const ActionLogProbs evaluated =
        policy.EvaluateActions(shown.input, policy.Encode(shown.input), {actions}, most_values);
    return FlatGradient(policy,
                        (evaluated.log_probs * torch::arange(5)).sum() + evaluated.entropy.sum());
  };
  const torch::Tensor at_once = gradient_of(1'000'000);
  EXPECT_GT(at_once.abs().max().item<double>(), 0.01);
  EXPECT_TRUE(torch::allclose(gradient_of(1), at_once, 1e-4, 1e-6));
}

// In 40,000 samples of 324 plans, each is sampled as often as its probability says: χ² with 323
// degrees of freedom stays below 323 + 5 √646 = 450 but once in a million.
TEST_F(GoPolicyTest, PlansAreSampledAsOftenAsTheirProbabilitySays) {
  const ShownProblem shown(testing::TwoOpsOnTwoDevices(), kAll);
  Rng rng(2);
  Policy policy(kSmallPolicy, rng);
  const EncodedInput encoded = policy.Encode(shown.input);
  const torch::Tensor all = AllActions({2, 3, 3});
  const torch::Tensor expected =
      40'000 * policy.EvaluateActions(shown.input, encoded, {all}).log_probs.detach().exp();
  const torch::Tensor sampled = policy.Sample(shown.input, encoded, 40'000, rng).actions;
  const torch::Tensor place = torch::tensor({162, 81, 27, 9, 3, 1}, torch::kLong);
  const torch::Tensor counts =
      torch::bincount((sampled.flatten(1) * place).sum(1), {}, 324).to(torch::kFloat);
  const double chi_squared = ((counts - expected).square() / expected).sum().item<double>();
  EXPECT_LT(chi_squared, 450.0);
}

TEST_F(GoPolicyTest, WhatIsMaskedHasNoProbability) {
  ShownProblem shown(testing::TwoOpsOnTwoDevices(), {Task::kPlacement});
  shown.rows.mask = torch::tensor({{true, true}, {false, true}});
  Rng rng(1);
  Policy policy(kSmallPolicy, rng);
  const EncodedInput encoded = policy.Encode(shown.input);
  const torch::Tensor probs =  // of [0 0], [0 1], [1 0], [1 1]
      policy.EvaluateActions(shown.input, encoded, {AllActions({2})}).log_probs.exp();
  EXPECT_EQ(probs[0].item<float>(), 0.0F);
  EXPECT_EQ(probs[2].item<float>(), 0.0F);
  const SampledActions sampled = policy.Sample(shown.input, encoded, 200, rng);
  EXPECT_EQ(sampled.actions.select(2, 1).min().item<std::int64_t>(), 1);
  EXPECT_TRUE(torch::equal(sampled.decisions.has_choice[0], torch::tensor({true, false})));
}

// The gradient of Σ π(plan) · reward(plan) over all 324 plans, with rewards at will, is exact. The
// estimate from N samples has a relative error of some units / √N: N = 40,000 gives 0.5 % per unit,
// and 6 % is allowed.
TEST_F(GoPolicyTest, ThePolicyGradientIsThatOfTheEnumeratedExpectation) {
  const ShownProblem shown(testing::TwoOpsOnTwoDevices(), kAll);
  Rng rng(4);
  Policy policy(kSmallPolicy, rng);
  const torch::Tensor all = AllActions({2, 3, 3});
  const torch::Tensor rewards = torch::arange(324, torch::kFloat).mul(0.7).sin();
  const torch::Tensor exact = FlatGradient(
      policy,
      (policy.EvaluateActions(shown.input, policy.Encode(shown.input), {all}).log_probs.exp() *
       rewards)
          .sum());

  const EncodedInput encoded = policy.Encode(shown.input);
  const torch::Tensor sampled = policy.Sample(shown.input, encoded, 40'000, rng).actions;
  const torch::Tensor index =
      (sampled.flatten(1) * torch::tensor({162, 81, 27, 9, 3, 1}, torch::kLong)).sum(1);
  const torch::Tensor estimate =
      FlatGradient(policy,
                   ReinforceLoss(policy.EvaluateActions(shown.input, encoded, {sampled}).log_probs,
                                 rewards.index_select(0, index) - rewards.mean()));
  EXPECT_LT(((estimate + exact).norm() / exact.norm()).item<double>(), 0.06);
}

// Equal devices differ in their slots alone: when the second and the third change places, so do
// their probabilities.
TEST_F(GoPolicyTest, WhenDevicesChangePlacesSoDoTheirProbabilities) {
  ShownProblem shown(testing::ChainOfOps(5, 3), {Task::kPlacement});
  Rng rng(1);
  Policy policy(kSmallPolicy, rng);
  const torch::Tensor order = torch::tensor({0, 2, 1}, torch::kLong);
  const torch::Tensor actions = torch::tensor({0, 1, 2, 1, 0}, torch::kLong).view({1, 1, 5});
  const torch::Tensor before =
      policy.EvaluateActions(shown.input, policy.Encode(shown.input), {actions}).decision_log_probs;
  shown.devices.x = shown.devices.x.index_select(0, order);
  shown.devices.slot = shown.devices.slot.index_select(0, order);
  shown.devices.pair = shown.devices.pair.index_select(0, order).index_select(1, order);
  const torch::Tensor swapped = order.index_select(0, actions.flatten()).view({1, 1, 5});
  const torch::Tensor after =
      policy.EvaluateActions(shown.input, policy.Encode(shown.input), {swapped}).decision_log_probs;
  EXPECT_TRUE(torch::allclose(after, before, 1e-4, 1e-5));
}

// Links of the first two that are slower are seen, those that are as they were are not.
TEST_F(GoPolicyTest, DevicesDifferByTheirLinks) {
  ShownProblem shown(testing::ChainOfOps(5, 3), {Task::kPlacement});
  Rng rng(1);
  Policy policy(kSmallPolicy, rng);
  const auto log_probs = [&] {
    return policy
        .EvaluateActions(
            shown.input, policy.Encode(shown.input), {torch::zeros({1, 1, 5}, torch::kLong)})
        .decision_log_probs;
  };
  const torch::Tensor before = log_probs();
  shown.devices.pair[0][1][0] += 0.5;
  EXPECT_FALSE(torch::allclose(log_probs(), before, 1e-4, 1e-5));
}

// Two rows, two devices, two passes: 4 drafts × 4 plans. Their probabilities add up to one, and a
// plan has another one after another draft.
TEST_F(GoPolicyTest, ASecondPassDecidesInSightOfWhatTheFirstOneDrew) {
  const ShownProblem shown(testing::TwoOpsOnTwoDevices(), {Task::kPlacement});
  Sizes sizes = kSmallPolicy;
  sizes.refinement = 2;
  Rng rng(1);
  Policy policy(sizes, rng);
  const ActionLogProbs evaluated =
      policy.EvaluateActions(shown.input, policy.Encode(shown.input), {AllActions({2, 2})});
  EXPECT_NEAR(evaluated.log_probs.exp().sum().item<double>(), 1.0, 1e-5);
  const torch::Tensor of_plan =  // [4 drafts, 4 plans]: ln p(plan | draft)
      evaluated.decision_log_probs.slice(1, 2).sum(1).view({4, 4});
  EXPECT_TRUE(torch::allclose(of_plan.exp().sum(1), torch::ones(4), 1e-5, 1e-5));
  EXPECT_FALSE(torch::allclose(of_plan[0], of_plan[3], 1e-3, 1e-4));
  EXPECT_EQ(policy.Sample(shown.input, policy.Encode(shown.input), 3, rng).actions.sizes(),
            (std::vector<std::int64_t>{3, 2, 2}));
}

// The log-probability of a plan that is imitated is that of its actions as drafts and as the plan,
// each in sight of the drafts that were sampled; the drafts' own do not count.
TEST_F(GoPolicyTest, WhatIsImitatedIsTheTargetOfEveryPass) {
  const ShownProblem shown(testing::TwoOpsOnTwoDevices(), {Task::kPlacement});
  Sizes sizes = kSmallPolicy;
  sizes.refinement = 2;
  Rng rng(1);
  Policy policy(sizes, rng);
  const EncodedInput encoded = policy.Encode(shown.input);
  const torch::Tensor plan = torch::tensor({{{1, 0}}}, torch::kLong);
  const Actions imitated = policy.Imitated(shown.input, encoded, plan, rng);
  const torch::Tensor draft = imitated.given.slice(1, 0, 1);
  const torch::Tensor of_draft =
      policy.EvaluateActions(shown.input, encoded, {torch::cat({plan, plan}, 1)})
          .decision_log_probs;
  const torch::Tensor of_plan =
      policy.EvaluateActions(shown.input, encoded, {torch::cat({draft, plan}, 1)})
          .decision_log_probs;
  EXPECT_TRUE(
      torch::allclose(policy.EvaluateActions(shown.input, encoded, imitated).decision_log_probs,
                      torch::cat({of_draft.slice(1, 0, 2), of_plan.slice(1, 2)}, 1),
                      0.0,
                      1e-6));
}

// Rows of 3 and 2 bytes, devices of 3: whichever row comes first, the other one has one device
// left. Seven samples, where shares of 1, 0.85 and 0.7 of three bytes take turns: with the latter
// two the first row fits nowhere and goes where most room is. What was stored is what is
// recomputed.
TEST_F(GoPolicyTest, PlansWithinCapacitiesHaveTheProbabilityThatTheyWereSampledWith) {
  ShownProblem shown(testing::TwoOpsOnTwoDevices(), {Task::kPlacement});
  const RowCapacity capacity{.bytes = torch::tensor({3.0, 2.0}, torch::kDouble),
                             .limits = torch::tensor({3.0, 3.0}, torch::kDouble),
                             .mask = torch::ones({2, 2}, torch::kBool)};
  shown.input.capacity = &capacity;
  Rng rng(1);
  Policy policy(kSmallPolicy, rng);
  const EncodedInput encoded = policy.Encode(shown.input);
  const SampledActions sampled = policy.Sample(shown.input, encoded, 7, rng);
  const torch::Tensor devices = sampled.actions.select(1, 0);  // [7, 2]
  for (const std::int64_t sample : {0, 3, 6}) {
    EXPECT_NE(devices[sample][0].item<std::int64_t>(), devices[sample][1].item<std::int64_t>());
  }
  const torch::Tensor all = torch::arange(7, torch::kLong);
  EXPECT_TRUE(torch::allclose(
      policy.EvaluateActions(shown.input, encoded, sampled.Of(all)).decision_log_probs,
      sampled.decisions.log_probs,
      0.0,
      1e-5));
  const torch::Tensor likeliest = policy.Likeliest(shown.input, encoded)[0][0];
  EXPECT_NE(likeliest[0].item<std::int64_t>(), likeliest[1].item<std::int64_t>());
}

// Each way of modulation, with and without a second pass, on the graph of a real network with its
// features as they are: no parameter is left without a gradient.
TEST_F(GoPolicyTest, EveryParameterHasAGradientOnRealFeatures) {
  const ShownProblem shown(testing::RealProblem(), kAll);
  for (const Modulation modulation : {Modulation::kGraph, Modulation::kLayer}) {
    Sizes sizes{.refinement = 2};
    sizes.modulation = modulation;
    Rng rng(1);
    Policy policy(sizes, rng);
    const EncodedInput encoded = policy.Encode(shown.input);
    const torch::Tensor sampled = policy.Sample(shown.input, encoded, 4, rng).actions;
    policy.zero_grad();
    const ActionLogProbs evaluated = policy.EvaluateActions(shown.input, encoded, {sampled});
    (evaluated.log_probs * torch::tensor({1.0, -2.0, 0.5, 0.5})).sum().backward();
    for (const auto& parameter : policy.named_parameters()) {
      EXPECT_TRUE(parameter.value().grad().defined() &&
                  parameter.value().grad().abs().max().item<double>() > 0.0)
          << parameter.key();
    }
  }
}

// Central differences of ln p of two plans, in the weight of each parameter that counts most: with
// the best of three steps, since a long one may cross the kink of a ReLU and a short one is
// rounding.
TEST_F(GoPolicyTest, GradientsAreThoseOfFiniteDifferences) {
  const ShownProblem shown(testing::ChainOfOps(5, 3), kAll);
  Sizes sizes = kSmallPolicy;
  sizes.refinement = 2;
  sizes.modulation = Modulation::kLayer;
  sizes.segment = 8;  // one: into the segment before no gradient flows, by design
  Rng rng(3);
  Policy policy(sizes, rng);
  const Actions actions{.given =
                            policy.Sample(shown.input, policy.Encode(shown.input), 2, rng).actions};
  const auto value = [&] {
    return policy.EvaluateActions(shown.input, policy.Encode(shown.input), actions).log_probs.sum();
  };
  policy.zero_grad();
  value().backward();
  const torch::NoGradGuard no_grad;
  for (const auto& parameter : policy.named_parameters()) {
    if (!parameter.value().grad().defined()) {
      continue;  // an embedding of what this graph lacks
    }
    torch::Tensor weights = parameter.value().view({-1});
    const torch::Tensor gradient = parameter.value().grad().view({-1});
    const auto at = gradient.abs().argmax().item<std::int64_t>();
    const float before = weights[at].item<float>();
    const auto moved_by = [&](double step) {
      weights[at] = before + step;
      return value().item<double>();
    };
    const auto expected = gradient[at].item<double>();
    double difference = 1e9;  // of the step that comes nearest
    for (const double step : {1e-2, 3e-3, 1e-3}) {
      const double by_step = (moved_by(step) - moved_by(-step)) / (2.0 * step);
      difference =
          std::abs(by_step - expected) < std::abs(difference - expected) ? by_step : difference;
    }
    weights[at] = before;
    EXPECT_NEAR(difference, expected, 0.03 * std::abs(expected) + 5e-3) << parameter.key();
  }
}

// One set of weights for graphs and machines of all sizes, one op on one device among them.
TEST_F(GoPolicyTest, OneSetOfWeightsServesAllSizes) {
  Rng rng(1);
  Policy policy(kSmallPolicy, rng);
  for (const auto& [num_ops, num_devices] :
       {std::pair<std::int32_t, std::size_t>{1, 1}, {2, 8}, {4, 2}, {5, 3}}) {
    const ShownProblem shown(testing::ChainOfOps(num_ops, num_devices), kAll);
    const torch::Tensor likeliest = policy.Likeliest(shown.input, policy.Encode(shown.input));
    EXPECT_EQ(likeliest.sizes(), (std::vector<std::int64_t>{1, 3, num_ops}));
    EXPECT_LT(likeliest[0][0].max().item<std::int64_t>(), static_cast<std::int64_t>(num_devices));
  }
}

// The likeliest action of each row, given those before it, is what Evaluate finds most probable.
TEST_F(GoPolicyTest, TheLikeliestPlacementIsTheOneOfGreatestProbability) {
  const ShownProblem shown(testing::TwoOpsOnTwoDevices(), {Task::kPlacement});
  Rng rng(1);
  Policy policy(kSmallPolicy, rng);
  const EncodedInput encoded = policy.Encode(shown.input);
  const torch::Tensor all = AllActions({2});
  const auto best =
      policy.EvaluateActions(shown.input, encoded, {all}).log_probs.argmax().item<std::int64_t>();
  EXPECT_TRUE(torch::equal(policy.Likeliest(shown.input, encoded)[0], all[best]));
}

}  // namespace
}  // namespace opyard::agents::go
