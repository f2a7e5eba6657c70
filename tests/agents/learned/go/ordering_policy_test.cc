// GO's network with a head that orders the rows, against all plans of two ops.
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

constexpr Sizes kOrdering{.type_embedding = 3,
                          .hidden = 8,
                          .graph_layers = 1,
                          .attention_layers = 1,
                          .heads = 2,
                          .feed_forward = 12,
                          .segment = 2,
                          .priority_head = PriorityHead::kGumbel,
                          .levels = 3};

// All plans of two ops on two devices: 2² placements × 2 orders × 3² fusion priorities = 72, [72,
// 3, 2].
torch::Tensor AllPlans() {
  std::vector<std::int64_t> flat;
  for (std::int64_t plan = 0; plan < 72; ++plan) {
    const std::int64_t first = plan / 9 % 2;
    flat.insert(flat.end(), {plan / 36, plan / 18 % 2, first, 1 - first, plan / 3 % 3, plan % 3});
  }
  return torch::tensor(flat, torch::kLong).view({72, 3, 2});
}

// The number of each plan, [K].
torch::Tensor NumberOfOrder(const torch::Tensor& plans) {
  return (plans.flatten(1) * torch::tensor({36, 18, 9, 0, 3, 1}, torch::kLong)).sum(1);
}

class OrderingPolicyTest : public ::testing::Test {
 protected:
  OrderingPolicyTest() { shown_.input.rule_scores = torch::tensor({0.4F, 0.0F}); }

  TorchSession one_thread_{1};
  ShownProblem shown_{testing::TwoOpsOnTwoDevices(),
                      {Task::kPlacement, Task::kScheduling, Task::kFusion}};
  Rng rng_{1};
  Policy policy_{kOrdering, rng_};
};

TEST_F(OrderingPolicyTest, TheProbabilitiesOfAllPlansAddUpToOne) {
  const ActionLogProbs evaluated =
      policy_.EvaluateActions(shown_.input, policy_.Encode(shown_.input), {AllPlans()});
  EXPECT_NEAR(evaluated.log_probs.exp().sum().item<double>(), 1.0, 1e-5);  // 72 terms in float32
}

// χ² with 71 degrees of freedom stays below 71 + 5 √142 = 131 but once in a million.
TEST_F(OrderingPolicyTest, PlansAreSampledAsOftenAsTheirProbabilitySays) {
  const EncodedInput encoded = policy_.Encode(shown_.input);
  const torch::Tensor expected =
      20'000 *
      policy_.EvaluateActions(shown_.input, encoded, {AllPlans()}).log_probs.detach().exp();
  const torch::Tensor sampled = policy_.Sample(shown_.input, encoded, 20'000, rng_).actions;
  const torch::Tensor counts = torch::bincount(NumberOfOrder(sampled), {}, 72).to(torch::kFloat);
  EXPECT_LT(((counts - expected).square() / expected).sum().item<double>(), 131.0);
}

// The last place of an order has no choice.
TEST_F(OrderingPolicyTest, TheStoredLogProbabilityIsTheRecomputedOne) {
  const EncodedInput encoded = policy_.Encode(shown_.input);
  const SampledActions sampled = policy_.Sample(shown_.input, encoded, 5, rng_);
  EXPECT_TRUE(torch::allclose(
      policy_.EvaluateActions(shown_.input, encoded, {sampled.actions}).decision_log_probs,
      sampled.decisions.log_probs,
      0.0,
      1e-5));
  EXPECT_TRUE(torch::equal(sampled.decisions.has_choice[0],
                           torch::tensor({true, true, true, false, true, true})));
}

// Rewards at will. Of N = 40,000 samples the relative error is some units / √N, 0.5 % per unit; 6 %
// are allowed, as with levels.
TEST_F(OrderingPolicyTest, ThePolicyGradientIsThatOfTheEnumeratedExpectation) {
  const torch::Tensor rewards = torch::arange(72, torch::kFloat).mul(0.7).sin();
  const torch::Tensor exact = FlatGradient(
      policy_,
      (policy_.EvaluateActions(shown_.input, policy_.Encode(shown_.input), {AllPlans()})
           .log_probs.exp() *
       rewards)
          .sum());
  const EncodedInput encoded = policy_.Encode(shown_.input);
  const torch::Tensor sampled = policy_.Sample(shown_.input, encoded, 40'000, rng_).actions;
  const torch::Tensor estimate = FlatGradient(
      policy_,
      ReinforceLoss(policy_.EvaluateActions(shown_.input, encoded, {sampled}).log_probs,
                    rewards.index_select(0, NumberOfOrder(sampled)) - rewards.mean()));
  EXPECT_LT(((estimate + exact).norm() / exact.norm()).item<double>(), 0.06);
}

// The same placement and fusion priorities after the two orders.
TEST_F(OrderingPolicyTest, LaterTasksKnowTheOrder) {
  const torch::Tensor actions =
      torch::tensor({0, 0, 0, 1, 1, 2, 0, 0, 1, 0, 1, 2}, torch::kLong).view({2, 3, 2});
  const torch::Tensor decisions =
      policy_.EvaluateActions(shown_.input, policy_.Encode(shown_.input), {actions})
          .decision_log_probs;
  EXPECT_TRUE(torch::equal(decisions[0].slice(0, 0, 2), decisions[1].slice(0, 0, 2)));
  EXPECT_FALSE(torch::allclose(decisions[0].slice(0, 4, 6), decisions[1].slice(0, 4, 6)));
}

// A rule's scores come first: with them far apart their order is the likeliest.
TEST_F(OrderingPolicyTest, TheLikeliestOrderIsThatOfTheScores) {
  for (const auto& [scores, places] : {std::pair{torch::tensor({9.0F, 0.0F}), std::pair{0, 1}},
                                       {torch::tensor({0.0F, 9.0F}), {1, 0}}}) {
    shown_.input.rule_scores = scores;
    const torch::Tensor likeliest =
        policy_.Likeliest(shown_.input, policy_.Encode(shown_.input))[0][1];
    EXPECT_EQ(likeliest[0].item<std::int64_t>(), places.first);
    EXPECT_EQ(likeliest[1].item<std::int64_t>(), places.second);
  }
}

// After another draft, another order has another probability.
TEST_F(OrderingPolicyTest, APassSeesTheOrderThatTheOneBeforeDrew) {
  Sizes sizes = kOrdering;
  sizes.refinement = 2;
  Policy policy(sizes, rng_);
  const torch::Tensor plan = AllPlans().slice(0, 0, 1);
  const auto of_plan = [&](const torch::Tensor& draft) {
    return policy
        .EvaluateActions(shown_.input, policy.Encode(shown_.input), {torch::cat({draft, plan}, 1)})
        .decision_log_probs.slice(1, plan.size(1) * plan.size(2));
  };
  EXPECT_FALSE(torch::allclose(of_plan(plan), of_plan(AllPlans().slice(0, -1)), 1e-3, 1e-4));
}

// One plan after the other, and each again for the gradient.
TEST_F(OrderingPolicyTest, ManyPlansAreEvaluatedInChunksWithTheSameGradient) {
  const auto gradient_of = [&](std::int64_t most_values) {
    const ActionLogProbs evaluated = policy_.EvaluateActions(
        shown_.input, policy_.Encode(shown_.input), {AllPlans().slice(0, 0, 7)}, most_values);
    return FlatGradient(policy_,
                        (evaluated.log_probs * torch::arange(7)).sum() + evaluated.entropy.sum());
  };
  EXPECT_TRUE(torch::allclose(gradient_of(1), gradient_of(1'000'000), 1e-4, 1e-6));
}

}  // namespace
}  // namespace opyard::agents::go
