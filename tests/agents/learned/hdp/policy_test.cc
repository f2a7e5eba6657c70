#include "agents/learned/hdp/policy.h"

#include <cmath>

#include <gtest/gtest.h>

#include "agents/learned/common/ppo.h"
#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/torch_session.h"
#include "agents/learned/hdp/view.h"
#include "tests/agents/learned/flat_gradient.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::hdp {
namespace {

using testing::FlatGradient;
using testing::MakeProblem;
using testing::UnevenOp;

constexpr std::int64_t kUnits = 3;
constexpr std::int64_t kNumGroups = 2;
constexpr std::int64_t kDevices = 2;

// Three ops in a chain with a skip edge, on two devices.
std::shared_ptr<const env::Problem> ThreeOps() {
  return MakeProblem(opyard::testing::MakeGraph({UnevenOp("a", {3, 7}),
                                                 UnevenOp("b", {11, 5}, {{0, 0}}),
                                                 UnevenOp("c", {2, 13}, {{1, 0}, {0, 0}})}),
                     opyard::testing::MeshMachine(2));
}

Sizes Small() {
  return {.num_groups = kNumGroups,
          .num_devices = kDevices,
          .num_units = kUnits,
          .grouper_hidden = 5,
          .grouper_temperature = 0.7,
          .hidden = 6,
          .embedding = 4};
}

// Every network that options ask for, of which the last two sample with noise.
std::vector<Sizes> Variants() {
  std::vector<Sizes> variants(7, Small());
  variants[1].faithful = true;
  variants[2].attention = false;
  variants[3].placer = PlacerKind::kFlat;
  variants[4].grouper = GrouperKind::kRandom;
  variants[6].faithful = true;
  return variants;
}
constexpr std::size_t kFirstWithNoise = 5;

// All groupings of three units times all placements of two groups: 8 · 4 plans, those with an empty
// group on its second device among them.
struct Plans {
  torch::Tensor groups;   // [32, 3]
  torch::Tensor devices;  // [32, 2]
};

Plans AllPlans() {
  std::vector<std::int64_t> groups;
  std::vector<std::int64_t> devices;
  for (std::int64_t plan = 0; plan < 32; ++plan) {
    for (std::int64_t unit = 0; unit < kUnits; ++unit) {
      groups.push_back((plan >> unit) & 1);
    }
    for (std::int64_t group = 0; group < kNumGroups; ++group) {
      devices.push_back((plan >> (kUnits + group)) & 1);
    }
  }
  return {.groups = torch::tensor(groups, torch::kLong).view({32, kUnits}),
          .devices = torch::tensor(devices, torch::kLong).view({32, kNumGroups})};
}

// The rows of AllPlans, [K].
torch::Tensor IndexOf(const SampledPlans& plans) {
  return (plans.groups * torch::tensor({1, 2, 4}, torch::kLong)).sum(1) +
         (plans.devices * torch::tensor({8, 16}, torch::kLong)).sum(1);
}

class HdpPolicyTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  HdpPolicyTest()
      : problem_(ThreeOps()),
        features_(MakeOpFeatures(*problem_, UnitsOf(*problem_), Variants()[GetParam()].faithful)),
        weights_(3),
        policy_(Variants()[GetParam()], weights_) {}

  [[nodiscard]] static bool HasNoise() { return GetParam() >= kFirstWithNoise; }
  [[nodiscard]] SampledPlans Sample(std::int64_t num_samples, Rng& rng) {
    return policy_.Sample(features_, num_samples, rng, {.noise_std = HasNoise() ? 0.5 : 0.0});
  }
  // The log-probabilities of plans that were sampled.
  [[nodiscard]] PlanLogProbs Evaluate(const SampledPlans& sampled) {
    return policy_.EvaluateActions(features_, sampled.groups, sampled.devices, sampled.noise);
  }

  TorchSession one_thread_{1};
  std::shared_ptr<const env::Problem> problem_;
  OpFeatures features_;
  Rng weights_;
  Policy policy_;
};

INSTANTIATE_TEST_SUITE_P(Variants, HdpPolicyTest, ::testing::Range(std::size_t{0}, std::size_t{7}));

TEST_P(HdpPolicyTest, TheProbabilitiesOfAllPlansAddUpToOne) {
  const Plans plans = AllPlans();
  torch::Tensor probs =
      policy_.EvaluateActions(features_, plans.groups, plans.devices).log_probs.exp();
  if (Variants()[GetParam()].grouper == GrouperKind::kRandom) {
    // Any grouping counts as the one that was sampled: take that of the first plan alone.
    probs = probs.index({(plans.groups == plans.groups[0]).all(1)});
  }
  EXPECT_NEAR(probs.sum().item<double>(), 1.0, 1e-5);  // 32 terms in float32
}

// The published code takes the probability of a new sample. Step by step and all at once add in
// another order: 5 terms of size 1 in float32 differ by a few times 6e-8.
// One vector of noise for all plans: they have one distribution.
TEST_P(HdpPolicyTest, WithTheSameNoiseTheProbabilitiesOfAllPlansAddUpToOne) {
  if (Variants()[GetParam()].grouper == GrouperKind::kRandom) {
    GTEST_SKIP() << "a random grouper has one grouping";
  }
  Rng rng(8);
  LogitNoise noise{.relative_std = 0.5,
                   .groups = StandardNormal({1, kUnits, kNumGroups}, rng).expand({32, -1, -1}),
                   .devices = StandardNormal({1, kNumGroups, kDevices}, rng).expand({32, -1, -1})};
  const Plans plans = AllPlans();
  const torch::Tensor with_noise =
      policy_.EvaluateActions(features_, plans.groups, plans.devices, noise).log_probs;
  EXPECT_NEAR(with_noise.exp().sum().item<double>(), 1.0, 1e-5);
  const torch::Tensor without =
      policy_.EvaluateActions(features_, plans.groups, plans.devices).log_probs;
  EXPECT_GT((with_noise - without).abs().max().item<double>(), 1e-3);
}

TEST_P(HdpPolicyTest, ReplayedDevicesArePlacedAgainWhereTheyAreAllowed) {
  Rng rng(2);
  const torch::Tensor replayed = torch::ones({64, kNumGroups}, torch::kLong);
  const SampledPlans sampled = policy_.Sample(features_, 64, rng, {.replayed = replayed});
  for (std::int64_t group = 0; group < kNumGroups; ++group) {
    // A group without units has the first device alone.
    EXPECT_TRUE(
        torch::equal(sampled.devices.select(1, group) == 1, (sampled.groups == group).any(1)));
  }
  EXPECT_LT((sampled.log_probs - Evaluate(sampled).log_probs).abs().max().item<double>(), 3e-6);
}

TEST_P(HdpPolicyTest, TheProbabilityIsThatOfTheStoredSample) {
  Rng rng(2);
  const SampledPlans sampled = Sample(64, rng);
  const PlanLogProbs evaluated = Evaluate(sampled);
  EXPECT_LT((sampled.log_probs - evaluated.log_probs).abs().max().item<double>(), 3e-6);
  const PlanLogProbs again = Evaluate(sampled);
  EXPECT_TRUE(torch::equal(evaluated.log_probs, again.log_probs));
  // So that the ratio of each decision is 1, but for the rounding of one term.
  const torch::Tensor ratios =  // [64, 5], or [64, 2] where groups are random
      (evaluated.decision_log_probs - sampled.decisions.log_probs).exp();
  EXPECT_EQ(ratios.size(1), Variants()[GetParam()].grouper == GrouperKind::kRandom ? 2 : 5);
  EXPECT_LT((ratios - 1.0).abs().max().item<double>(), 1e-6);
}

// A group without units has one device, the first; each unit has a choice between the groups.
TEST_P(HdpPolicyTest, DecisionsCountWhereThereIsAChoice) {
  Rng rng(2);
  const SampledPlans sampled = Sample(64, rng);
  const std::int64_t first = sampled.decisions.has_choice.size(1) - kNumGroups;  // that of a group
  EXPECT_TRUE(sampled.decisions.has_choice.slice(1, 0, first).all().item<bool>());
  for (std::int64_t group = 0; group < kNumGroups; ++group) {
    EXPECT_TRUE(torch::equal(sampled.decisions.has_choice.select(1, first + group),
                             (sampled.groups == group).any(1)));
  }
}

// The ratios of both levels are 1 up to 1e-6, and so are the gradients.
TEST_P(HdpPolicyTest, TheFirstGradientOfPpoIsThatOfReinforce) {
  Rng rng(4);
  const SampledPlans sampled = Sample(64, rng);
  const torch::Tensor advantages = torch::arange(64.0F) - 30.0F;
  const auto evaluate = [&] { return Evaluate(sampled); };
  const torch::Tensor of_ppo = FlatGradient(
      policy_, PpoLoss(evaluate().decision_log_probs, sampled.decisions, advantages, 0.2));
  const torch::Tensor of_reinforce =
      FlatGradient(policy_, ReinforceLoss(evaluate().log_probs, advantages));
  EXPECT_LT(((of_ppo - of_reinforce).norm() / of_reinforce.norm()).item<double>(), 1e-5);
}

TEST_P(HdpPolicyTest, PlansAreSampledAsOftenAsTheyAreProbable) {
  if (HasNoise()) {
    GTEST_SKIP() << "each sample has a distribution of its own";
  }
  Rng rng(5);
  const SampledPlans sampled = Sample(20'000, rng);
  const torch::Tensor shares =  // [32]
      torch::bincount(IndexOf(sampled), {}, 32).to(torch::kFloat) / 20'000.0;
  const Plans plans = AllPlans();
  torch::Tensor probs =
      policy_.EvaluateActions(features_, plans.groups, plans.devices).log_probs.exp();
  if (Variants()[GetParam()].grouper == GrouperKind::kRandom) {
    probs = probs * (plans.groups == sampled.groups[0]).all(1);
  }
  // The standard deviation of a share is at most √(1/4 / 20,000) = 0.0035; four of them.
  EXPECT_LT((shares - probs).abs().max().item<double>(), 0.014);
}

// The gradient of Σ π(plan) · reward(plan) over all plans is exact. The estimate from 40,000
// samples has a relative error of 0.5 % per unit of spread, of which there are some; 10 % is
// allowed. With the sign, the baseline or the pairing of samples and rewards wrong, or one of the
// two probabilities left out, it is far beyond that.
TEST_P(HdpPolicyTest, ThePolicyGradientIsThatOfTheEnumeratedExpectation) {
  if (Variants()[GetParam()].grouper == GrouperKind::kRandom) {
    GTEST_SKIP() << "a random grouper has one grouping";
  }
  if (HasNoise()) {
    GTEST_SKIP() << "the expectation is over the noise, too";
  }
  const Plans plans = AllPlans();
  // [32]: what each unit and each group adds by its choice, all of like size.
  const torch::Tensor rewards = (plans.groups * torch::tensor({3.0F, -2.0F, 2.5F})).sum(1) +
                                (plans.devices * torch::tensor({-2.0F, 3.0F})).sum(1);
  const torch::Tensor exact = FlatGradient(
      policy_,
      (policy_.EvaluateActions(features_, plans.groups, plans.devices).log_probs.exp() * rewards)
          .sum());

  Rng rng(4);
  const SampledPlans sampled = Sample(40'000, rng);
  const torch::Tensor advantages =
      rewards.index_select(0, IndexOf(sampled)) - rewards.mean();  // [K]
  const torch::Tensor estimate =
      FlatGradient(policy_, ReinforceLoss(Evaluate(sampled).log_probs, advantages));
  EXPECT_LT(((estimate + exact).norm() / exact.norm()).item<double>(), 0.1);
}

// (loss(w + h) − loss(w − h)) / 2h with h = 0.01 errs by h² times a third derivative, about 1e-4,
// and by the rounding of float32, 1e-7 / h = 1e-5.
TEST_P(HdpPolicyTest, TheGradientIsThatOfFiniteDifferences) {
  Rng rng(6);
  const SampledPlans sampled = Sample(4, rng);
  const torch::Tensor advantages = torch::tensor({0.5, -1.0, 0.25, 2.0}, torch::kFloat);
  const auto loss = [&] { return ReinforceLoss(Evaluate(sampled).log_probs, advantages); };
  policy_.zero_grad();
  loss().backward();
  constexpr double kStep = 0.01;
  for (auto& item : policy_.named_parameters()) {
    if (!item.value().grad().defined()) {
      continue;
    }
    SCOPED_TRACE(item.key());
    const torch::NoGradGuard no_grad;
    const std::int64_t i = item.value().grad().abs().argmax().item<std::int64_t>();
    const torch::Tensor weight = item.value().flatten()[i];  // a view of the parameter
    const auto exact = item.value().grad().flatten()[i].item<double>();
    weight.add_(kStep);
    const auto above = loss().item<double>();
    weight.sub_(2.0 * kStep);
    const auto below = loss().item<double>();
    weight.add_(kStep);
    EXPECT_NEAR((above - below) / (2.0 * kStep), exact, 0.02 * std::abs(exact) + 1e-3);
  }
}

}  // namespace
}  // namespace opyard::agents::hdp
