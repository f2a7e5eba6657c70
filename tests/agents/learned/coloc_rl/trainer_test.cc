#include "agents/learned/coloc_rl/trainer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/common/torch_session.h"
#include "env/action_codec.h"
#include "env/reward.h"
#include "sim/base/error.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"
#include "tests/support/temporary_folder.h"

namespace opyard::agents {
namespace {

using ::testing::HasSubstr;
using testing::MakeProblem;
using testing::UnevenOp;

constexpr ColocRlOptions kSmall{.groups = {.rule = GroupingRule::kProblem},
                                .sizes = {.hidden = 12, .attention = 6, .embedding = 5},
                                .samples = 4,
                                .learning_rate = 0.02,
                                .entropy = {},
                                .restart_updates = 0,
                                .normalise_advantages = false};

// Steps so long, without entropy, that a policy settles on some plan within a few updates.
ColocRlOptions Hasty() {
  ColocRlOptions options = kSmall;
  options.learning_rate = 0.2;
  options.restart_updates = 5;
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

torch::Tensor FlatGradient(ColocRlPolicy& policy, const torch::Tensor& value) {
  policy.zero_grad();
  value.backward();
  std::vector<torch::Tensor> parts;
  for (const torch::Tensor& parameter : policy.parameters()) {
    parts.push_back(parameter.grad().flatten());
  }
  return torch::cat(parts);
}

// Networks as small as these gain nothing from threads, and wait for them where others compute.
class ColocRlTrainerTest : public ::testing::Test {
 private:
  TorchSession one_thread_{1};
};

TEST_F(ColocRlTrainerTest, TheStoredLogProbabilityIsTheRecomputedOneBeforeTheFirstUpdate) {
  const auto problem = FourDecisions();
  ColocRlTrainer trainer(*problem, kSmall, 1);
  Rng rng(2);
  const SampledPlacements sampled = trainer.policy().Sample(trainer.features(), 64, rng);
  const JudgedPlacements judged = trainer.policy().Judge(trainer.features(), sampled.devices);
  // Step by step and all at once add in another order: 4 terms of size 0.7 in float32 differ by a
  // few times 6e-8.
  EXPECT_LT((sampled.log_probs - judged.log_probs).abs().max().item<double>(), 2e-6);
}

TEST_F(ColocRlTrainerTest, TheProbabilitiesOfAllPlacementsAddUpToOne) {
  const auto problem = FourDecisions();
  ColocRlTrainer trainer(*problem, kSmall, 1);
  const JudgedPlacements judged = trainer.policy().Judge(trainer.features(), AllPlacements());
  EXPECT_NEAR(judged.log_probs.exp().sum().item<double>(), 1.0, 1e-5);  // 16 terms in float32
}

// The gradient of Σ π(plan) · reward(plan) over all 16 plans is exact. The estimate from N samples
// has a relative error of the order of 1 / √N times a spread of some units: N = 40,000 gives 0.5 %
// per unit, and 5 % is allowed. With the sign, the baseline or the pairing of samples and rewards
// wrong it is beyond 100 %.
TEST_F(ColocRlTrainerTest, ThePolicyGradientIsThatOfTheEnumeratedExpectation) {
  const auto problem = FourDecisions();
  ColocRlTrainer trainer(*problem, kSmall, 3);
  ColocRlPolicy& policy = trainer.policy();
  const torch::Tensor rewards = AllRewards(problem, trainer.sequence());  // [16]
  const torch::Tensor expected_reward =
      (policy.Judge(trainer.features(), AllPlacements()).log_probs.exp() * rewards).sum();
  const torch::Tensor exact = FlatGradient(policy, expected_reward);

  Rng rng(4);
  const SampledPlacements sampled = policy.Sample(trainer.features(), 40'000, rng);
  const torch::Tensor index =  // [K]: the row of AllPlacements
      (sampled.devices * torch::tensor({1, 2, 4, 8}, torch::kLong)).sum(1);
  const torch::Tensor advantages = rewards.index_select(0, index) - rewards.mean();
  const torch::Tensor estimate = FlatGradient(
      policy,
      ReinforceLoss(policy.Judge(trainer.features(), sampled.devices).log_probs, advantages));
  EXPECT_LT(((estimate + exact).norm() / exact.norm()).item<double>(), 0.05);
}

// At first the expectation is about the mean of the 16 rewards. A policy may settle on a plan that
// is not the best; over five seeds it makes good more than half of what there is to gain.
TEST_F(ColocRlTrainerTest, TheExpectedRewardRisesWithTraining) {
  const auto problem = FourDecisions();
  double gained = 0.0;
  double to_gain = 0.0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    ColocRlTrainer trainer(*problem, kSmall, seed);
    const torch::Tensor rewards = AllRewards(problem, trainer.sequence());
    const auto expected_reward = [&] {
      return (trainer.policy().Judge(trainer.features(), AllPlacements()).log_probs.exp() * rewards)
          .sum()
          .item<double>();
    };
    const double before = expected_reward();
    env::Evaluator evaluator(problem, {.budget = {.evaluations = 400}});
    while (trainer.Update(evaluator).has_value()) {
    }
    gained += expected_reward() - before;
    to_gain += rewards.max().item<double>() - before;
  }
  EXPECT_GT(gained, 0.5 * to_gain);
}

TEST_F(ColocRlTrainerTest, SavedAndLoadedItGoesOnAsIfNeverStopped) {
  const opyard::testing::TemporaryFolder folder;
  const auto problem = FourDecisions();
  env::Evaluator evaluator(problem, {});
  ColocRlTrainer whole(*problem, kSmall, 7);
  ColocRlTrainer first_half(*problem, kSmall, 7);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(whole.Update(evaluator), first_half.Update(evaluator));
  }
  first_half.Save(folder.path() / "half.checkpoint");
  ColocRlTrainer second_half(*problem, kSmall, 8);  // its own seed gives way to the stored one
  second_half.Load(folder.path() / "half.checkpoint");
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(whole.Update(evaluator), second_half.Update(evaluator));
  }
  const auto weights = whole.policy().parameters();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_TRUE(torch::equal(weights[i], second_half.policy().parameters()[i]));
  }
}

// Entropies are those before an update: the one after the restart is that of a fresh policy, ln 2 a
// decision but for what logits of a small random network take off it. Settled it was below 0.3.
TEST_F(ColocRlTrainerTest, AfterACollapseAFreshPolicyIsTrained) {
  const auto problem = FourDecisions();
  env::Evaluator evaluator(problem, {});
  ColocRlTrainer trainer(*problem, Hasty(), 1);
  std::optional<UpdateReport> report = trainer.Update(evaluator);
  const double fresh_entropy = report->entropy;
  while (report->num_restarts == 0 && report->update < 150) {
    report = trainer.Update(evaluator);
  }
  ASSERT_EQ(report->num_restarts, 1);
  EXPECT_LT(report->entropy, 0.3);
  report = trainer.Update(evaluator);
  EXPECT_EQ(report->num_restarts, 1);
  EXPECT_GT(report->entropy, std::log(2.0) - 0.05);
  EXPECT_NE(report->entropy, fresh_entropy);  // other weights than the first
  // Its baseline begins with its own rewards: their mean.
  EXPECT_NEAR(*report->baseline,
              std::accumulate(report->rewards.begin(), report->rewards.end(), 0.0) / 4.0,
              1e-12);
}

TEST_F(ColocRlTrainerTest, WithTheEntropyGoneOnePlanIsWhatWasAskedFor) {
  const auto problem = FourDecisions();
  env::Evaluator evaluator(problem, {});
  ColocRlOptions settles = Hasty();
  settles.entropy = {.weight = 0.01, .num_updates = 1};
  ColocRlTrainer trainer(*problem, settles, 1);
  std::optional<UpdateReport> report = trainer.Update(evaluator);
  while (report->update < 150) {
    report = trainer.Update(evaluator);
  }
  EXPECT_EQ(report->num_restarts, 0);
  EXPECT_LT(report->entropy, 0.3);
}

TEST_F(ColocRlTrainerTest, StoppedBeforeOrAfterARestartItGoesOnAsIfNeverStopped) {
  const opyard::testing::TemporaryFolder folder;
  const auto problem = FourDecisions();
  env::Evaluator evaluator(problem, {});
  constexpr std::size_t kUpdates = 150;
  std::vector<UpdateReport> whole;
  std::vector<std::filesystem::path> stops;
  ColocRlTrainer trainer(*problem, Hasty(), 2);
  while (whole.size() < kUpdates) {
    stops.push_back(folder.path() / std::to_string(whole.size()));
    trainer.Save(stops.back());
    whole.push_back(*trainer.Update(evaluator));
  }
  ASSERT_GE(whole.back().num_restarts, 2);
  for (std::size_t stop = 1; stop < kUpdates; ++stop) {
    const bool is_near_restart =
        whole[stop - 1].num_restarts != whole[stop].num_restarts ||
        (stop > 1 && whole[stop - 2].num_restarts != whole[stop - 1].num_restarts);
    if (!is_near_restart) {
      continue;
    }
    ColocRlTrainer resumed(*problem, Hasty(), 8);
    resumed.Load(stops[stop]);
    for (std::size_t i = stop; i < std::min(stop + 40, kUpdates); ++i) {
      ASSERT_EQ(resumed.Update(evaluator), whole[i]) << "stopped before update " << stop + 1;
    }
  }
}

// 15 updates with 4 plans each. Stopped after 20 of the 60, the other 40 are the budget of the
// rest.
TEST_F(ColocRlTrainerTest, TheBudgetOfAStoppedTrainingIsWhatItSpentAndWhatIsLeft) {
  const opyard::testing::TemporaryFolder folder;
  const auto problem = FourDecisions();
  ColocRlOptions options = kSmall;
  options.entropy = {.weight = 0.5, .share = 0.8};
  env::Evaluator all(problem, {.budget = {.evaluations = 60}});
  ColocRlTrainer whole(*problem, options, 7);
  for (int i = 0; i < 5; ++i) {
    static_cast<void>(whole.Update(all));
  }
  whole.Save(folder.path() / "third.checkpoint");
  env::Evaluator rest(problem, {.budget = {.evaluations = 40}});
  ColocRlTrainer resumed(*problem, options, 8);
  resumed.Load(folder.path() / "third.checkpoint");
  std::vector<double> weights;
  while (const std::optional<UpdateReport> report = whole.Update(all)) {
    EXPECT_EQ(resumed.Update(rest), report);
    weights.push_back(report->entropy_weight);
  }
  ASSERT_EQ(weights.size(), 10U);
  EXPECT_DOUBLE_EQ(weights.front(), 0.5 * (1.0 - 20.0 / 60.0 / 0.8));
}

TEST_F(ColocRlTrainerTest, WithALimitInEvaluationsTheEntropyDoesNotFollowTheClock) {
  const auto problem = FourDecisions();
  ColocRlOptions options = kSmall;
  options.entropy = {.weight = 0.5, .share = 0.8};
  env::Evaluator without_clock(problem, {.budget = {.evaluations = 40}});
  env::Evaluator with_clock(problem, {.budget = {.evaluations = 40, .seconds = 3600.0}});
  ColocRlTrainer first(*problem, options, 7);
  ColocRlTrainer second(*problem, options, 7);
  while (const std::optional<UpdateReport> report = first.Update(without_clock)) {
    EXPECT_EQ(second.Update(with_clock), report);
  }
  EXPECT_FALSE(second.Update(with_clock).has_value());
}

TEST_F(ColocRlTrainerTest, ACheckpointOfAnotherMachineIsRefusedWithAllReasons) {
  const opyard::testing::TemporaryFolder folder;
  const auto problem = FourDecisions();
  ColocRlTrainer(*problem, kSmall, 1).Save(folder.path() / "two.checkpoint");
  const auto three_devices = MakeProblem(problem->shared_graph(), opyard::testing::MeshMachine(3));
  ColocRlTrainer other(*three_devices, kSmall, 1);
  try {
    other.Load(folder.path() / "two.checkpoint");
    FAIL() << "a checkpoint of another machine was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("config num_devices: found 2, expected 3"));
    EXPECT_THAT(error.what(), HasSubstr("tensor weight.head.weight: found float32 2 24"));
  }
}

TEST_F(ColocRlTrainerTest, ForbiddenDevicesAreNeverSampled) {
  sim::OpSpec host_only = UnevenOp("host", {1, 2, 3}, {{0, 0}});
  host_only.device_kinds = sim::DeviceKindSet::None();
  host_only.device_kinds.Insert(sim::DeviceKind::kCpu);
  const auto problem = MakeProblem(
      opyard::testing::MakeGraph({UnevenOp("a", {3, 7, 9}), host_only}), testing::MeshWithCpu(2));
  ColocRlTrainer trainer(*problem, kSmall, 1);
  Rng rng(1);
  const SampledPlacements sampled = trainer.policy().Sample(trainer.features(), 500, rng);
  EXPECT_TRUE((sampled.devices.select(1, 1) == 2).all().item<bool>());
  // The other op goes everywhere.
  for (std::int64_t device = 0; device < 3; ++device) {
    EXPECT_TRUE((sampled.devices.select(1, 0) == device).any().item<bool>());
  }
}

// Two ops of 600 kB of parameters on devices of 1 MB: half of the plans run out of memory.
TEST_F(ColocRlTrainerTest, PlansThatRunOutOfMemoryAreLearntToBeAvoided) {
  std::vector<sim::OpSpec> ops = {UnevenOp("a", {5, 5}), UnevenOp("b", {5, 5})};
  ops[0].param_bytes = Bytes{600'000};
  ops[1].param_bytes = Bytes{600'000};
  const auto problem =
      MakeProblem(opyard::testing::MakeGraph(std::move(ops)), opyard::testing::MeshMachine(2));
  ColocRlTrainer trainer(*problem, kSmall, 1);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 400}});
  while (trainer.Update(evaluator).has_value()) {
  }
  Rng rng(9);
  const SampledPlacements sampled = trainer.policy().Sample(trainer.features(), 200, rng);
  const double share_apart = (sampled.devices.select(1, 0) != sampled.devices.select(1, 1))
                                 .to(torch::kDouble)
                                 .mean()
                                 .item<double>();
  EXPECT_GT(share_apart, 0.9);  // 0.5 at the start
}

}  // namespace
}  // namespace opyard::agents
