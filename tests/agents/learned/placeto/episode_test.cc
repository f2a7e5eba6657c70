#include "agents/learned/placeto/episode.h"

#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/common/step_baseline.h"
#include "agents/learned/common/torch_session.h"
#include "agents/learned/placeto/learner.h"
#include "env/reward.h"
#include "sim/plan/plan.h"
#include "tests/agents/learned/placeto/per_op.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::placeto {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using testing::MakeProblem;
using testing::UnevenOp;

constexpr Sizes kSmall{.num_devices = 2, .width = 4, .rounds = 2};
constexpr EpisodeOptions kFromOneDevice{.start = EpisodeStart::kSingleDevice};

// a → b → c on two unequal devices, each tensor 1 µs between them.
std::shared_ptr<const env::Problem> ThreeDecisions() {
  return MakeProblem(MakeGraph({UnevenOp("a", {3, 7}),
                                UnevenOp("b", {11, 5}, {{0, 0}}),
                                UnevenOp("c", {2, 13}, {{1, 0}})}),
                     MeshMachine(2));
}

class PlacetoEpisodeTest : public ::testing::Test {
 protected:
  PlacetoEpisodeTest() : view_(MakeView(*problem_, kPerOp)), policy_(kSmall, weights_) {}

  Episode PlayOne(const EpisodeOptions& options, env::Evaluator& evaluator, Rng& rng) {
    std::optional<Episode> episode = Play(view_, options, std::nullopt, policy_, evaluator, rng);
    EXPECT_TRUE(episode.has_value());
    return *std::move(episode);
  }

  std::shared_ptr<const env::Problem> problem_ = ThreeDecisions();
  View view_;
  Rng weights_{1};
  Policy policy_;

 private:
  TorchSession one_thread_{1};
};

// All three ops on device 0 take 3 + 11 + 2 = 16 µs: they start at 0, 3 and 14 µs.
TEST_F(PlacetoEpisodeTest, AStateIsWhatTheReportOfThePlanSays) {
  env::Evaluator evaluator(problem_, {});
  const std::vector<std::int64_t> devices = {0, 0, 0};
  const EvaluatedState evaluated =
      Read(view_, {}, devices, *evaluator.EvaluateDetailed(ToPlan(view_, devices)));
  EXPECT_THAT(evaluated.starts,
              ::testing::ElementsAre(0.0F, ::testing::FloatEq(3.0F / 14.0F), 1.0F));
  EXPECT_THAT(evaluated.memory, ::testing::ElementsAre(1.0F, 0.0F));
  EXPECT_DOUBLE_EQ(evaluated.run_time, 16e-6 / view_.reference.score);

  const torch::Tensor state = StateOf(view_, evaluated, {true, false, false}, 1);  // [3, 8]
  // Costs are means over both devices: 5, 8 and 7.5 µs. Each of the two tensors that is read has
  // 1000 bytes. Starts are seen from b.
  const torch::Tensor expected =
      torch::tensor({{5.0 / 8.0, 1.0, 1.0, 0.0, -3.0 / 14.0, 1.0, 1.0, 0.0},
                     {1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0},
                     {7.5 / 8.0, 0.0, 0.0, 0.0, 11.0 / 14.0, 1.0, 1.0, 0.0}},
                    torch::kFloat);
  EXPECT_TRUE(torch::allclose(state, expected)) << state;
}

// As published starts are seen from the current node in units of the latest: (0 − 3) / 11, 0, 1,
// where the latest start is 14 − 3 = 11 µs behind b's, and memory is that of a node's outputs, 1000
// bytes each.
TEST_F(PlacetoEpisodeTest, APublishedStateHasTheMemoryOfOutputsAndStartsInUnitsOfTheLatest) {
  env::Evaluator evaluator(problem_, {});
  const std::vector<std::int64_t> devices = {0, 0, 1};
  EvaluatedState evaluated =
      Read(view_, {}, {0, 0, 0}, *evaluator.EvaluateDetailed(ToPlan(view_, {0, 0, 0})));
  evaluated.devices = devices;
  const torch::Tensor state =
      StateOf(view_, evaluated, {false, false, false}, 1, Layers::kPublished);
  EXPECT_TRUE(torch::allclose(state.select(1, 4), torch::tensor({-3.0F / 11.0F, 0.0F, 1.0F})));
  EXPECT_TRUE(torch::equal(state.select(1, 5), torch::ones({3})));
  // From the last node nothing is later: no unit.
  EXPECT_EQ(
      StateOf(view_, evaluated, {false, false, false}, 2, Layers::kPublished)[2][4].item<float>(),
      0.0F);
}

TEST_F(PlacetoEpisodeTest, RewardsAddUpToTheRunTimeThatWasGained) {
  env::Evaluator evaluator(problem_, {});
  Rng rng(3);
  for (int i = 0; i < 20; ++i) {
    const Episode episode = PlayOne({.passes = 2}, evaluator, rng);
    ASSERT_EQ(episode.rewards.size(), 6U);
    ASSERT_EQ(episode.run_times.size(), 7U);
    for (std::size_t step = 0; step < 6; ++step) {
      EXPECT_EQ(episode.rewards[step], episode.run_times[step] - episode.run_times[step + 1]);
    }
    // Six differences of numbers about 1 round by 1e-16 each.
    EXPECT_NEAR(std::accumulate(episode.rewards.begin(), episode.rewards.end(), 0.0),
                episode.run_times.front() - episode.run_times.back(),
                1e-14);
  }
}

// The first placement, and each step that moves its node.
TEST_F(PlacetoEpisodeTest, AStepThatMovesNothingIsNotEvaluated) {
  std::vector<sim::OpPlacement> evaluated;
  env::Evaluator evaluator(problem_,
                           {.on_evaluation = [&](const sim::Plan& plan, const env::Evaluation&) {
                             evaluated.push_back(plan.placement);
                           }});
  Rng rng(4);
  bool has_kept_one = false;
  for (int i = 0; i < 20; ++i) {
    evaluated.clear();
    const Episode episode = PlayOne(kFromOneDevice, evaluator, rng);
    const std::int64_t num_moved = episode.devices.sum().item<std::int64_t>();  // to device 1
    EXPECT_EQ(episode.num_evaluations, 1 + num_moved);
    EXPECT_EQ(std::ssize(evaluated), episode.num_evaluations);
    has_kept_one = has_kept_one || num_moved < 3;
    EXPECT_EQ(evaluated.front(), sim::OpPlacement(3, DeviceId(0)));
    EXPECT_TRUE(torch::equal(episode.last, episode.devices));
  }
  EXPECT_TRUE(has_kept_one);
}

// The first placement was evaluated before; if no node moves, it is evaluated again.
TEST_F(PlacetoEpisodeTest, AnEpisodeBeginsAtAnEvaluatedPlacement) {
  env::Evaluator evaluator(problem_, {});
  const std::vector<std::int64_t> devices = {0, 1, 0};
  const EvaluatedState start =
      Read(view_, {}, devices, *evaluator.EvaluateDetailed(ToPlan(view_, devices)));
  Rng rng(4);
  bool has_stayed = false;
  for (int i = 0; i < 40; ++i) {
    const Episode episode = *Play(view_, {}, start, policy_, evaluator, rng);
    EXPECT_EQ(episode.run_times.front(), start.run_time);
    const std::int64_t num_moved =
        (episode.last != torch::tensor(devices)).sum().item<std::int64_t>();
    EXPECT_EQ(episode.num_evaluations, std::max<std::int64_t>(num_moved, 1));
    EXPECT_EQ(episode.best.run_time, std::ranges::min(episode.run_times));
    has_stayed = has_stayed || (num_moved == 0 && episode.best.devices == devices);
  }
  EXPECT_TRUE(has_stayed);
}

TEST_F(PlacetoEpisodeTest, NodesAreVisitedInTheOrderOfTheGraphOrInASampledOne) {
  env::Evaluator evaluator(problem_, {});
  Rng rng(4);
  const std::vector<std::int64_t> twice = {0, 1, 2, 0, 1, 2};
  EXPECT_EQ(PlayOne({.passes = 2}, evaluator, rng).nodes, twice);
  bool has_other_order = false;
  for (int i = 0; i < 20; ++i) {
    std::vector<std::int64_t> nodes =
        PlayOne({.order = VisitOrder::kRandom, .passes = 2}, evaluator, rng).nodes;
    has_other_order = has_other_order || nodes != twice;
    std::ranges::sort(nodes);
    EXPECT_EQ(nodes, (std::vector<std::int64_t>{0, 0, 1, 1, 2, 2}));
  }
  EXPECT_TRUE(has_other_order);
}

// At the start of the second pass nothing is done.
TEST_F(PlacetoEpisodeTest, DoneIsWhatThisPassHasPlaced) {
  env::Evaluator evaluator(problem_, {});
  Rng rng(4);
  const Episode episode = PlayOne({.passes = 2}, evaluator, rng);
  const torch::Tensor done = torch::tensor(
      {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, torch::kFloat);
  EXPECT_TRUE(torch::equal(episode.states.select(2, 2), done));
}

TEST_F(PlacetoEpisodeTest, TheStoredLogProbabilityIsTheRecomputedOne) {
  Policy any_devices({.faithful = false, .width = 4, .rounds = 2}, weights_);
  env::Evaluator evaluator(problem_, {});
  Rng rng(5);
  for (Policy* policy : {&policy_, &any_devices}) {
    for (int i = 0; i < 20; ++i) {
      const Episode episode = *Play(view_, {.passes = 2}, std::nullopt, *policy, evaluator, rng);
      const torch::Tensor again =
          policy->LogProbs(policy->PolicyInputOf(view_), episode.states, episode.nodes)
              .gather(1, episode.devices.unsqueeze(1))
              .squeeze(1);
      // Alone and in a batch round otherwise: some units of 6e-8 in each of ten layers.
      EXPECT_LT((episode.log_probs - again).abs().max().item<double>(), 1e-5);
    }
  }
}

// From one device there are 2³ = 8 episodes, by what was chosen; each has a probability of about
// 1/8, so that a hundred meet them all.
std::map<std::vector<std::int64_t>, Episode> AllEpisodes(const View& view,
                                                         Policy& policy,
                                                         env::Evaluator& evaluator) {
  std::map<std::vector<std::int64_t>, Episode> episodes;
  Rng rng(6);
  while (episodes.size() < 8) {
    const Episode episode = *Play(view, kFromOneDevice, std::nullopt, policy, evaluator, rng);
    const auto* first = episode.devices.data_ptr<std::int64_t>();
    episodes.emplace(std::vector<std::int64_t>(first, first + 3), episode);
  }
  return episodes;
}

TEST_F(PlacetoEpisodeTest, TheProbabilitiesOfAllEpisodesAddUpToOne) {
  env::Evaluator evaluator(problem_, {});
  double total = 0.0;
  for (const auto& [devices, episode] : AllEpisodes(view_, policy_, evaluator)) {
    total += episode.log_probs.sum().exp().item<double>();
  }
  EXPECT_NEAR(total, 1.0, 1e-5);  // 8 terms in float32
}

torch::Tensor FlatGradient(Policy& policy) {
  std::vector<torch::Tensor> parts;
  for (const torch::Tensor& parameter : policy.parameters()) {
    parts.push_back(parameter.grad().flatten().clone());
  }
  return torch::cat(parts);
}

// The mean of the gradient of the loss over all episodes, weighted by their probabilities, is −1/3
// of the gradient of the expected gain (3 steps). This holds whatever number of its own each step
// is compared with, exactly but for float32.
TEST_F(PlacetoEpisodeTest, TheGradientIsThatOfTheEnumeratedExpectation) {
  Rng weights(2);
  TrainingOptions options;
  options.sizes = kSmall;
  Learner learner(options, kSmall, weights);
  Policy& policy = learner.policy();
  env::Evaluator evaluator(problem_, {});
  const auto episodes = AllEpisodes(view_, policy, evaluator);

  torch::Tensor expected_gain = torch::zeros({});
  for (const auto& [devices, episode] : episodes) {
    const torch::Tensor probability =
        policy.LogProbs(policy.PolicyInputOf(view_), episode.states, episode.nodes)
            .gather(1, episode.devices.unsqueeze(1))
            .sum()
            .exp();
    expected_gain =
        expected_gain + probability * (episode.run_times.front() - episode.run_times.back());
  }
  policy.zero_grad();
  expected_gain.backward();
  const torch::Tensor exact = FlatGradient(policy);

  torch::Tensor estimate = torch::zeros_like(exact);
  const std::vector<double> compared_with = {0.3, -0.2, 0.1};
  for (const auto& [devices, episode] : episodes) {
    std::vector<double> advantages = DiscountedReturns(episode.rewards, 1.0);
    for (std::size_t step = 0; step < 3; ++step) {
      advantages[step] -= compared_with[step];
    }
    static_cast<void>(learner.ComputeGradient(view_, episode, advantages, 0.0));
    estimate += episode.log_probs.sum().exp() * FlatGradient(policy);
  }
  EXPECT_LT(((estimate * 3 + exact).norm() / exact.norm()).item<double>(), 1e-3);
}

// Two ops of 600 kB of parameters on devices of 1 MB.
TEST_F(PlacetoEpisodeTest, WhatDoesNotCompleteTakesAsLongAsAFailureIsWorth) {
  std::vector<sim::OpSpec> ops = {UnevenOp("a", {5, 5}), UnevenOp("b", {5, 5})};
  ops[0].param_bytes = Bytes{600'000};
  ops[1].param_bytes = Bytes{600'000};
  const auto problem = MakeProblem(MakeGraph(std::move(ops)), MeshMachine(2));
  const View view = MakeView(*problem, kPerOp);
  env::Evaluator evaluator(problem, {});
  const auto read = [&](const std::vector<std::int64_t>& devices) {
    return Read(view, {}, devices, *evaluator.EvaluateDetailed(ToPlan(view, devices)));
  };
  EXPECT_EQ(read({0, 0}).run_time, -env::kFailureReward);
  EXPECT_FALSE(read({0, 0}).is_feasible);
  EXPECT_TRUE(read({0, 1}).is_feasible);
  EXPECT_LT(read({0, 1}).run_time, 2.0);
}

// A peak of 12 GB beyond 8 GB at 2 s/GB: 8 s; of 20 GB: 24 s, but no run takes more than ten.
TEST_F(PlacetoEpisodeTest, MemoryBeyondWhatIsFreeAddsToTheRunTime) {
  const EpisodeOptions penalised{.penalty_s_per_gb = 2.0, .free_gb = 8.0};
  const auto penalty_s = [&](std::int64_t peak_gb) {
    const sim::SimResult result{.makespan = opyard::testing::Microseconds(16),
                                .peak_memory = Bytes{peak_gb * 1'000'000'000}};
    return (RunTime(view_, penalised, result) - RunTime(view_, {}, result)) *
           view_.reference.makespan.seconds();
  };
  // 1e6 references of some µs: ten digits are left of the difference.
  EXPECT_NEAR(penalty_s(12), 8.0, 1e-6);
  EXPECT_NEAR(penalty_s(20), 10.0 - 16e-6, 1e-6);
  EXPECT_NEAR(penalty_s(7), 0.0, 1e-6);
}

TEST_F(PlacetoEpisodeTest, AnEpisodeThatTheBudgetEndsIsNone) {
  env::Evaluator evaluator(problem_, {.budget = {.evaluations = 2}});
  Rng rng(4);
  std::optional<Episode> episode;
  do {  // one that moves two nodes needs three evaluations
    episode = Play(view_, kFromOneDevice, std::nullopt, policy_, evaluator, rng);
  } while (episode.has_value());
  EXPECT_EQ(evaluator.num_evaluations(), 2);
}

}  // namespace
}  // namespace opyard::agents::placeto
