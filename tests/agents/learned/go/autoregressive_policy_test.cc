// GO's network with rows that are placed one after the other, against all placements.
#include <vector>

#include <gtest/gtest.h>

#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/torch_session.h"
#include "agents/learned/go/policy.h"
#include "tests/agents/learned/flat_gradient.h"
#include "tests/agents/learned/go/shown_problem.h"

namespace opyard::agents::go {
namespace {

using testing::FlatGradient;
using testing::ShownProblem;

constexpr Sizes kInOrder{.type_embedding = 3,
                         .hidden = 8,
                         .graph_layers = 1,
                         .attention_layers = 1,
                         .heads = 2,
                         .feed_forward = 12,
                         .segment = 2,
                         .autoregressive_rows = 5,
                         .levels = 3};

// All placements of four rows on three devices, [81, 1, 4].
torch::Tensor AllPlacements() {
  std::vector<std::int64_t> flat;
  for (std::int64_t plan = 0; plan < 81; ++plan) {
    flat.insert(flat.end(), {plan / 27, plan / 9 % 3, plan / 3 % 3, plan % 3});
  }
  return torch::tensor(flat, torch::kLong).view({81, 1, 4});
}

torch::Tensor NumberOfPlacement(const torch::Tensor& plans) {
  return (plans.flatten(1) * torch::tensor({27, 9, 3, 1}, torch::kLong)).sum(1);
}

class AutoregressivePolicyTest : public ::testing::Test {
 protected:
  // Far from even, so that what is before matters.
  AutoregressivePolicyTest() {
    const torch::NoGradGuard no_grad;
    for (const auto& parameter : policy_.named_parameters()) {
      if (parameter.key().starts_with("decoder")) {
        parameter.value().mul_(2.0);
      }
    }
  }

  [[nodiscard]] torch::Tensor LogProbs(const torch::Tensor& plans) {
    return policy_.EvaluateActions(shown_.input, policy_.Encode(shown_.input), {plans}).log_probs;
  }

  TorchSession one_thread_{1};
  ShownProblem shown_{testing::ChainOfOps(4, 3), {Task::kPlacement}};
  Rng rng_{1};
  Policy policy_{kInOrder, rng_};
};

TEST_F(AutoregressivePolicyTest, TheProbabilitiesOfAllPlacementsAddUpToOne) {
  EXPECT_NEAR(LogProbs(AllPlacements()).exp().sum().item<double>(), 1.0, 1e-5);
}

// The rows would else be independent: p(0, 0) p(1, 1) = p(0, 1) p(1, 0) of any two.
TEST_F(AutoregressivePolicyTest, ARowIsPlacedInSightOfThoseBefore) {
  const torch::Tensor probs = LogProbs(AllPlacements()).exp().view({3, 3, 3, 3});
  const torch::Tensor of_two = probs.sum(std::vector<std::int64_t>{1, 2});  // first and last row
  const torch::Tensor independent = of_two.sum(1, true) * of_two.sum(0, true);
  EXPECT_GT((of_two - independent).abs().max().item<double>(), 0.01);
}

// χ² with 80 degrees of freedom stays below 80 + 5 √160 = 143 but once in a million.
TEST_F(AutoregressivePolicyTest, PlacementsAreSampledAsOftenAsTheirProbabilitySays) {
  const torch::Tensor expected = 20'000 * LogProbs(AllPlacements()).detach().exp();
  const torch::Tensor sampled =
      policy_.Sample(shown_.input, policy_.Encode(shown_.input), 20'000, rng_).actions;
  const torch::Tensor counts =
      torch::bincount(NumberOfPlacement(sampled), {}, 81).to(torch::kFloat);
  EXPECT_LT(((counts - expected).square() / expected).sum().item<double>(), 143.0);
}

// As above of 40,000 samples: 6 % is allowed of an error of about 0.5.
TEST_F(AutoregressivePolicyTest, ThePolicyGradientIsThatOfTheEnumeratedExpectation) {
  const torch::Tensor rewards = torch::arange(81, torch::kFloat).mul(0.7).sin();
  const torch::Tensor exact =
      FlatGradient(policy_, (LogProbs(AllPlacements()).exp() * rewards).sum());
  const torch::Tensor sampled =
      policy_.Sample(shown_.input, policy_.Encode(shown_.input), 40'000, rng_).actions;
  const torch::Tensor estimate = FlatGradient(
      policy_,
      ReinforceLoss(LogProbs(sampled),
                    rewards.index_select(0, NumberOfPlacement(sampled)) - rewards.mean()));
  EXPECT_LT(((estimate + exact).norm() / exact.norm()).item<double>(), 0.06);
}

TEST_F(AutoregressivePolicyTest, TheLikeliestDeviceOfEachRowIsThatGivenThoseBefore) {
  const torch::Tensor likeliest =
      policy_.Likeliest(shown_.input, policy_.Encode(shown_.input)).flatten();  // [4]
  const torch::Tensor probs = LogProbs(AllPlacements()).exp().view({3, 3, 3, 3});
  torch::Tensor left = probs.flatten(1);  // [choices of the row, those of all rows after it]
  for (std::int64_t row = 0; row < 4; ++row) {
    const std::int64_t device = likeliest[row].item<std::int64_t>();
    EXPECT_EQ(device, left.sum(1).argmax().item<std::int64_t>()) << row;
    left = left[device].view({row < 3 ? 3 : 1, -1});
  }
}

// Three tasks, two passes, a temperature, and capacities that leave a row less than all devices.
TEST_F(AutoregressivePolicyTest, TheStoredLogProbabilityIsTheRecomputedOne) {
  ShownProblem shown(testing::ChainOfOps(5, 3),
                     {Task::kPlacement, Task::kScheduling, Task::kFusion});
  const RowCapacity capacity{.bytes = torch::full({5}, 2.0, torch::kDouble),
                             .limits = torch::full({3}, 5.0, torch::kDouble),
                             .mask = shown.rows.mask};
  shown.input.capacity = &capacity;
  Sizes sizes = kInOrder;
  sizes.refinement = 2;
  Policy policy(sizes, rng_);
  const EncodedInput encoded = policy.Encode(shown.input);
  const SampledActions sampled = policy.Sample(shown.input, encoded, 7, rng_);
  const torch::Tensor all = torch::arange(7, torch::kLong);
  EXPECT_TRUE(torch::allclose(
      policy.EvaluateActions(shown.input, encoded, sampled.Of(all)).decision_log_probs,
      sampled.decisions.log_probs,
      0.0,
      1e-5));
  // Two rows of 2 bytes fit into 5 and into 0.85 · 5, one into 0.7 · 5.
  const torch::Tensor most =  // [7], rows on the fullest device
      torch::one_hot(sampled.actions.select(1, 3), 3).sum(1).amax(1);
  EXPECT_EQ(most[0].item<std::int64_t>(), 2);
  EXPECT_EQ(most[3].item<std::int64_t>(), 2);
  EXPECT_FALSE(sampled.allowed.all().item<bool>());
}

TEST_F(AutoregressivePolicyTest, ChunksHaveTheSameGradient) {
  const torch::Tensor plans = AllPlacements().slice(0, 0, 20);
  const auto gradient_of = [&](std::int64_t most_values) {
    return FlatGradient(
        policy_,
        (policy_.EvaluateActions(shown_.input, policy_.Encode(shown_.input), {plans}, most_values)
             .log_probs *
         torch::arange(20))
            .sum());
  };
  const torch::Tensor at_once = gradient_of(1'000'000);
  EXPECT_GT(at_once.abs().max().item<double>(), 0.01);
  EXPECT_TRUE(torch::allclose(gradient_of(1), at_once, 1e-4, 1e-4));
}

// Equal devices differ in their slots alone.
TEST_F(AutoregressivePolicyTest, WhenDevicesChangePlacesSoDoTheirProbabilities) {
  const torch::Tensor order = torch::tensor({0, 2, 1}, torch::kLong);
  const torch::Tensor before = LogProbs(AllPlacements());
  shown_.devices.x = shown_.devices.x.index_select(0, order);
  shown_.devices.slot = shown_.devices.slot.index_select(0, order);
  shown_.devices.pair = shown_.devices.pair.index_select(0, order).index_select(1, order);
  const torch::Tensor swapped = order.index_select(0, AllPlacements().flatten()).view({81, 1, 4});
  EXPECT_TRUE(torch::allclose(LogProbs(swapped), before, 1e-4, 1e-5));
}

// Six rows are placed at once, whatever the decoder's weights are.
TEST_F(AutoregressivePolicyTest, MoreRowsArePlacedAtOnce) {
  const ShownProblem shown(testing::ChainOfOps(6, 3), {Task::kPlacement});
  const torch::Tensor plan = torch::tensor({{{0, 1, 2, 0, 1, 2}}}, torch::kLong);
  const auto log_prob = [&] {
    return policy_.EvaluateActions(shown.input, policy_.Encode(shown.input), {plan})
        .log_probs.item<double>();
  };
  const double before = log_prob();
  const torch::NoGradGuard no_grad;
  for (const auto& parameter : policy_.named_parameters()) {
    if (parameter.key().starts_with("decoder")) {
      parameter.value().mul_(3.0);
    }
  }
  EXPECT_EQ(log_prob(), before);
}

}  // namespace
}  // namespace opyard::agents::go
