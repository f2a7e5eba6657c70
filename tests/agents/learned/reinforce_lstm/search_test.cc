#include "agents/learned/reinforce_lstm/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "agents/learned/common/ppo.h"
#include "agents/learned/common/torch_session.h"
#include "env/action_codec.h"
#include "env/reward.h"
#include "tests/agents/learned/flat_gradient.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::reinforce_lstm {
namespace {

using testing::FlatGradient;
using testing::MakeProblem;
using testing::UnevenOp;

constexpr TrainingOptions kSmallSearch{.groups = {.rule = GroupingRule::kProblem},
                                       .sizes = {.hidden = 12, .attention = 6, .embedding = 5},
                                       .batch_size = 4,
                                       .learning_rate = 0.02,
                                       .entropy = {},
                                       .restart_updates = 0,
                                       .normalise_advantages = false};

// Steps so long, without entropy, that a policy settles on some plan within a few updates.
TrainingOptions Hasty() {
  TrainingOptions options = kSmallSearch;
  options.learning_rate = 0.2;
  options.restart_updates = 5;
  return options;
}

TrainingOptions WithoutLearning(TrainingOptions options) {
  options.learns = false;
  return options;
}

TrainingOptions ByPpo(TrainingOptions options) {
  options.rule.algorithm = Algorithm::kPpo;
  return options;
}

// Four ops in a chain with a skip edge, on two unequal devices: 2^4 = 16 plans.
std::shared_ptr<const env::Problem> FourDecisions() {
  return MakeProblem(opyard::testing::MakeGraph({UnevenOp("a", {3, 7}),
                                                 UnevenOp("b", {11, 5}, {{0, 0}}),
                                                 UnevenOp("c", {2, 13}, {{1, 0}}),
                                                 UnevenOp("d", {6, 4}, {{2, 0}, {0, 0}})}),
                     opyard::testing::MeshMachine(2));
}

// All placements of 4 groups on 2 devices, [16, 4].
torch::Tensor AllPlacements() {
  std::vector<std::int64_t> devices;
  for (std::int64_t plan = 0; plan < 16; ++plan) {
    for (std::int64_t group = 0; group < 4; ++group) {
      devices.push_back((plan >> group) & 1);
    }
  }
  return torch::tensor(devices, torch::kLong).view({16, 4});
}

// The rewards of AllPlacements() with the reference score 1 µs, [16].
torch::Tensor AllRewards(const std::shared_ptr<const env::Problem>& problem,
                         const GroupSequence& sequence) {
  env::Evaluator evaluator(problem, {});
  const torch::Tensor placements = AllPlacements();
  std::vector<double> rewards;
  for (std::int64_t i = 0; i < 16; ++i) {
    const torch::Tensor row = placements[i].contiguous();
    const auto devices = DeviceOfProblemGroups(
        sequence, std::span<const std::int64_t>(row.data_ptr<std::int64_t>(), 4));
    const auto evaluation = evaluator.Evaluate(env::PlanFromGroups(*problem, devices));
    rewards.push_back(env::Reward(env::RewardKind::kSqrt, *evaluation, 1e-6));
  }
  return torch::tensor(rewards, torch::kFloat);
}

// Networks as small as these gain nothing from threads, and wait for them where others compute.
class ColocRlSearchTest : public ::testing::Test {
 private:
  TorchSession one_thread_{1};
};

TEST_F(ColocRlSearchTest, TheStoredLogProbabilityIsTheRecomputedOneBeforeTheFirstUpdate) {
  const auto problem = FourDecisions();
  Search search(*problem, kSmallSearch, 1);
  Rng rng(2);
  const SampledPlacements sampled = search.policy().Sample(search.view().features, 64, rng);
  const PlacementLogProbs evaluated =
      search.policy().EvaluateActions(search.view().features, sampled.devices);
  // Step by step and all at once add in another order: 4 terms of size 0.7 in float32 differ by a
  // few times 6e-8.
  EXPECT_LT((sampled.log_probs - evaluated.log_probs).abs().max().item<double>(), 2e-6);
  // So that the ratio of each decision is 1, but for the rounding of one term.
  const torch::Tensor ratios =  // [64, 4]
      (evaluated.decision_log_probs - sampled.decisions.log_probs).exp();
  EXPECT_LT((ratios - 1.0).abs().max().item<double>(), 5e-7);
}

// The ratios are 1 up to 5e-7, and so are the gradients.
TEST_F(ColocRlSearchTest, TheFirstGradientOfPpoIsThatOfReinforce) {
  const auto problem = FourDecisions();
  Search search(*problem, kSmallSearch, 3);
  Policy& policy = search.policy();
  Rng rng(4);
  const SampledPlacements sampled = policy.Sample(search.view().features, 64, rng);
  const torch::Tensor advantages = torch::arange(64.0F) - 30.0F;
  const torch::Tensor of_ppo = FlatGradient(
      policy,
      PpoLoss(policy.EvaluateActions(search.view().features, sampled.devices).decision_log_probs,
              sampled.decisions,
              advantages,
              0.2));
  const torch::Tensor of_reinforce = FlatGradient(
      policy,
      ReinforceLoss(policy.EvaluateActions(search.view().features, sampled.devices).log_probs,
                    advantages));
  EXPECT_LT(((of_ppo - of_reinforce).norm() / of_reinforce.norm()).item<double>(), 1e-5);
}

TEST_F(ColocRlSearchTest, TheProbabilitiesOfAllPlacementsAddUpToOne) {
  const auto problem = FourDecisions();
  for (const bool faithful : {false, true}) {
    for (const Adjacency adjacency : {Adjacency::kMeans, Adjacency::kRows}) {
      TrainingOptions options = kSmallSearch;
      options.sizes.faithful = faithful;
      options.sizes.adjacency = adjacency;
      Search search(*problem, options, 1);
      const PlacementLogProbs evaluated =
          search.policy().EvaluateActions(search.view().features, AllPlacements());
      EXPECT_NEAR(
          evaluated.log_probs.exp().sum().item<double>(), 1.0, 1e-5);  // 16 terms in float32
    }
  }
}

// The gradient of Σ π(plan) · reward(plan) over all 16 plans is exact. The estimate from N samples
// has a relative error of the order of 1 / √N times a spread of some units: N = 40,000 gives 0.5 %
// per unit, and 5 % is allowed. With the sign, the baseline or the pairing of samples and rewards
// wrong it is beyond 100 %.
TEST_F(ColocRlSearchTest, ThePolicyGradientIsThatOfTheEnumeratedExpectation) {
  const auto problem = FourDecisions();
  Search search(*problem, kSmallSearch, 3);
  Policy& policy = search.policy();
  const torch::Tensor rewards = AllRewards(problem, search.view().sequence);  // [16]
  const torch::Tensor expected_reward =
      (policy.EvaluateActions(search.view().features, AllPlacements()).log_probs.exp() * rewards)
          .sum();
  const torch::Tensor exact = FlatGradient(policy, expected_reward);

  Rng rng(4);
  const SampledPlacements sampled = policy.Sample(search.view().features, 40'000, rng);
  const torch::Tensor index =  // [K]: the row of AllPlacements
      (sampled.devices * torch::tensor({1, 2, 4, 8}, torch::kLong)).sum(1);
  const torch::Tensor advantages = rewards.index_select(0, index) - rewards.mean();
  const torch::Tensor estimate = FlatGradient(
      policy,
      ReinforceLoss(policy.EvaluateActions(search.view().features, sampled.devices).log_probs,
                    advantages));
  EXPECT_LT(((estimate + exact).norm() / exact.norm()).item<double>(), 0.05);
}

// The gain of 400 plans of training over five seeds, as a share of what there is to gain.
double GainedShare(const TrainingOptions& options) {
  const auto problem = FourDecisions();
  double gained = 0.0;
  double to_gain = 0.0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Search search(*problem, options, seed);
    const torch::Tensor rewards = AllRewards(problem, search.view().sequence);
    const auto expected_reward = [&] {
      return (search.policy()
                  .EvaluateActions(search.view().features, AllPlacements())
                  .log_probs.exp() *
              rewards)
          .sum()
          .item<double>();
    };
    const double before = expected_reward();
    env::Evaluator evaluator(problem, {.budget = {.evaluations = 400}});
    while (search.Update(evaluator).has_value()) {
    }
    gained += expected_reward() - before;
    to_gain += rewards.max().item<double>() - before;
  }
  return gained / to_gain;
}

// At first the expectation is about the mean of the 16 rewards. A policy may settle on a plan that
// is not the best; over five seeds it makes good more than half of what there is to gain.
TEST_F(ColocRlSearchTest, TheExpectedRewardRisesWithTraining) {
  EXPECT_GT(GainedShare(kSmallSearch), 0.5);
  EXPECT_EQ(GainedShare(WithoutLearning(kSmallSearch)), 0.0);
}

// Its decoder reads the last device alone, and has to count its steps: 0.46 in as many plans.
TEST_F(ColocRlSearchTest, TheExpectedRewardOfAFaithfulNetworkRisesWithTraining) {
  TrainingOptions options = kSmallSearch;
  options.sizes.faithful = true;
  EXPECT_GT(GainedShare(options), 0.3);
  EXPECT_EQ(GainedShare(WithoutLearning(options)), 0.0);
}

// Four steps an update, each a quarter as long, lead about as far.
TEST_F(ColocRlSearchTest, TheExpectedRewardRisesWithPpo) {
  TrainingOptions options = ByPpo(kSmallSearch);
  options.learning_rate = kSmallSearch.learning_rate / 4.0;
  EXPECT_GT(GainedShare(options), 0.5);
  EXPECT_EQ(GainedShare(WithoutLearning(options)), 0.0);
}

// 4 plans in 2 shares, three times over; the policy that sampled them is one step away at most from
// the second on, so that the divergence is above 0.
TEST_F(ColocRlSearchTest, PpoMakesAStepPerEpochAndShare) {
  const auto problem = FourDecisions();
  TrainingOptions options = ByPpo(kSmallSearch);
  options.rule.ppo = {.n_epochs = 3, .num_minibatches = 2, .target_kl = 0.0};
  Search search(*problem, options, 1);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 4}});
  const std::optional<UpdateReport> report = search.Update(evaluator);
  EXPECT_EQ(report->num_steps, 6);
  EXPECT_GT(*report->kl, 0.0);
  EXPECT_EQ(evaluator.num_evaluations(), 4);
}

TEST_F(ColocRlSearchTest, WithoutPpoAnUpdateIsOneStep) {
  const auto problem = FourDecisions();
  Search search(*problem, kSmallSearch, 1);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 4}});
  const std::optional<UpdateReport> report = search.Update(evaluator);
  EXPECT_EQ(report->num_steps, 1);
  EXPECT_FALSE(report->kl.has_value());
}

// Entropies are those before an update: the one after the restart is that of a fresh policy, ln 2 a
// decision but for what logits of a small random network take off it.
TEST_F(ColocRlSearchTest, AfterACollapseAFreshPolicyIsTrained) {
  const auto problem = FourDecisions();
  env::Evaluator evaluator(problem, {});
  Search search(*problem, Hasty(), 1);
  std::optional<UpdateReport> report = search.Update(evaluator);
  const double fresh_entropy = report->entropy;
  while (report->num_restarts == 0 && report->update < 150) {
    report = search.Update(evaluator);
  }
  ASSERT_EQ(report->num_restarts, 1);
  const double entropy_before = report->entropy;
  report = search.Update(evaluator);
  EXPECT_EQ(report->num_restarts, 1);
  EXPECT_GT(report->entropy, entropy_before);
  EXPECT_GT(report->entropy, std::log(2.0) - 0.05);
  EXPECT_NE(report->entropy, fresh_entropy);  // other weights than the first
  // Its baseline begins with its own rewards: their mean.
  EXPECT_NEAR(*report->baseline,
              std::accumulate(report->rewards.begin(), report->rewards.end(), 0.0) / 4.0,
              1e-12);
}

TEST_F(ColocRlSearchTest, WithTheEntropyGoneOnePlanIsWhatWasAskedFor) {
  const auto problem = FourDecisions();
  env::Evaluator evaluator(problem, {});
  TrainingOptions settles = Hasty();
  settles.entropy = {.weight = 0.01, .num_updates = 1};
  Search search(*problem, settles, 1);
  std::optional<UpdateReport> report = search.Update(evaluator);
  while (report->update < 150) {
    report = search.Update(evaluator);
  }
  EXPECT_EQ(report->num_restarts, 0);
  EXPECT_LT(report->entropy, 0.3);
}

TEST_F(ColocRlSearchTest, WithALimitInEvaluationsTheEntropyDoesNotFollowTheClock) {
  const auto problem = FourDecisions();
  TrainingOptions options = kSmallSearch;
  options.entropy = {.weight = 0.5, .share = 0.8};
  env::Evaluator without_clock(problem, {.budget = {.evaluations = 40}});
  env::Evaluator with_clock(problem, {.budget = {.evaluations = 40, .seconds = 3600.0}});
  Search first(*problem, options, 7);
  Search second(*problem, options, 7);
  while (const std::optional<UpdateReport> report = first.Update(without_clock)) {
    EXPECT_EQ(second.Update(with_clock), report);
  }
  EXPECT_FALSE(second.Update(with_clock).has_value());
}

// Equal devices differ in their slots alone: what is known of the second of two becomes what is
// known of the first when they change places, and so do the probabilities.
TEST_F(ColocRlSearchTest, WhenDevicesChangePlacesSoDoTheirProbabilities) {
  const auto problem = FourDecisions();
  Search search(*problem, kSmallSearch, 1);
  const GroupFeatures& features = search.view().features;
  GroupFeatures swapped = features;
  swapped.device_x = features.device_x.flip(0);
  swapped.device_slot = features.device_slot.flip(0);
  swapped.device_mask = features.device_mask.flip(1);
  const torch::Tensor placements = AllPlacements();

  const torch::Tensor before = search.policy().EvaluateActions(features, placements).log_probs;
  const torch::Tensor after = search.policy().EvaluateActions(swapped, 1 - placements).log_probs;
  EXPECT_LT((before - after).abs().max().item<double>(), 2e-6);
  EXPECT_GT((before - search.policy().EvaluateActions(swapped, placements).log_probs)
                .abs()
                .max()
                .item<double>(),
            1e-5);
}

TEST_F(ColocRlSearchTest, ForbiddenDevicesAreNeverSampled) {
  sim::OpSpec host_only = UnevenOp("host", {1, 2, 3}, {{0, 0}});
  host_only.device_kinds = sim::DeviceKindSet::None();
  host_only.device_kinds.Insert(sim::DeviceKind::kCpu);
  const auto problem = MakeProblem(
      opyard::testing::MakeGraph({UnevenOp("a", {3, 7, 9}), host_only}), testing::MeshWithCpu(2));
  Search search(*problem, kSmallSearch, 1);
  Rng rng(1);
  const SampledPlacements sampled = search.policy().Sample(search.view().features, 500, rng);
  EXPECT_TRUE((sampled.devices.select(1, 1) == 2).all().item<bool>());
  EXPECT_TRUE(sampled.decisions.has_choice.select(1, 0).all().item<bool>());
  EXPECT_FALSE(sampled.decisions.has_choice.select(1, 1).any().item<bool>());
  // The other op goes everywhere.
  for (std::int64_t device = 0; device < 3; ++device) {
    EXPECT_TRUE((sampled.devices.select(1, 0) == device).any().item<bool>());
  }
}

// The share of plans with two ops apart, once trained, that are both of 600 kB of parameters on
// devices of 1 MB: half of the plans run out of memory.
double ShareApart(const TrainingOptions& options) {
  std::vector<sim::OpSpec> ops = {UnevenOp("a", {5, 5}), UnevenOp("b", {5, 5})};
  ops[0].param_bytes = Bytes{600'000};
  ops[1].param_bytes = Bytes{600'000};
  const auto problem =
      MakeProblem(opyard::testing::MakeGraph(std::move(ops)), opyard::testing::MeshMachine(2));
  Search search(*problem, options, 1);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 400}});
  while (search.Update(evaluator).has_value()) {
  }
  Rng rng(9);
  const SampledPlacements sampled = search.policy().Sample(search.view().features, 200, rng);
  return (sampled.devices.select(1, 0) != sampled.devices.select(1, 1))
      .to(torch::kDouble)
      .mean()
      .item<double>();
}

TEST_F(ColocRlSearchTest, PlansThatRunOutOfMemoryAreLearntToBeAvoided) {
  EXPECT_GT(ShareApart(kSmallSearch), 0.9);
  EXPECT_LT(ShareApart(WithoutLearning(kSmallSearch)), 0.7);  // about 0.5
}

}  // namespace
}  // namespace opyard::agents::reinforce_lstm
