// That a network, what it reads and all that it learns by lie on the device that was asked for.
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/common/torch_session.h"
#include "agents/learned/doppler/search.h"
#include "agents/learned/go/search.h"
#include "agents/learned/hdp/search.h"
#include "agents/learned/placeto/search.h"
#include "agents/learned/reinforce_lstm/search.h"
#include "tests/agents/learned/device_watch.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using testing::DeviceWatch;
using ::testing::HasSubstr;
using testing::MakeProblem;
using testing::MoveToMeta;
using testing::UnevenOp;

constexpr std::int64_t kPlans = 4;

// Four ops in a chain with a skip edge, on three unequal devices.
std::shared_ptr<const env::Problem> FourOps() {
  return MakeProblem(opyard::testing::MakeGraph({UnevenOp("a", {3, 7, 5}),
                                                 UnevenOp("b", {11, 5, 2}, {{0, 0}}),
                                                 UnevenOp("c", {2, 13, 3}, {{1, 0}}),
                                                 UnevenOp("d", {6, 4, 9}, {{2, 0}, {0, 0}})}),
                     opyard::testing::MeshMachine(3));
}

// The samples of an update, on the CPU.
struct Sampled {
  torch::Tensor choices;    // int64
  torch::Tensor log_probs;  // of each
};

// A learner and what it reads, on `device`; on `meta` its weights were moved there.
template <class Learner, class Options, class Sizes>
std::unique_ptr<Learner> MakeLearner(const Options& options,
                                     const Sizes& sizes,
                                     torch::Device device) {
  Rng weights(3);
  auto learner = std::make_unique<Learner>(
      options, sizes, weights, device.is_meta() ? torch::Device(torch::kCPU) : device);
  if (device.is_meta()) {
    MoveToMeta(learner->policy());
  }
  return learner;
}

struct ReinforceLstm {
  using Options = reinforce_lstm::TrainingOptions;
  static std::vector<Options> Variants() {
    std::vector<Options> variants(4);
    variants[1].sizes.faithful = true;
    variants[2].rule = {.algorithm = Algorithm::kPpo, .ppo = {.n_epochs = 2, .num_minibatches = 2}};
    variants[3].normalise_advantages = true;
    return variants;
  }
  ReinforceLstm(const env::Problem& problem, const Options& options, torch::Device device)
      : view(reinforce_lstm::MakeView(problem, options.groups, options.sizes, device)),
        learner(
            MakeLearner<reinforce_lstm::Learner>(options, Fitted(options.sizes, view), device)) {}

  Sampled Update(env::Evaluator& evaluator, Rng& rng) {
    const reinforce_lstm::Rollout samples = *learner->Sample(view, kPlans, evaluator, rng);
    RewardBaseline baseline(0.9);
    learner->Learn(view, samples, {.entropy_weight = 0.1}, baseline, rng);
    return {samples.devices.to(torch::kCPU), samples.decisions.log_probs.to(torch::kCPU)};
  }
  [[nodiscard]] Checkpoint Saved() const { return learner->ToState(); }

  reinforce_lstm::View view;
  std::unique_ptr<reinforce_lstm::Learner> learner;
};

struct Doppler {
  using Options = doppler::TrainingOptions;
  static std::vector<Options> Variants() {
    std::vector<Options> variants(3);
    variants[1].sizes.faithful = true;
    variants[2].exploration = doppler::Exploration::kEpsilonGreedy;
    return variants;
  }
  Doppler(const env::Problem& problem, const Options& options, torch::Device device)
      : view(doppler::MakeView(problem, options.groups, device)),
        exploration(options.exploration),
        learner(MakeLearner<doppler::Learner>(options, options.sizes, device)) {}

  Sampled Update(env::Evaluator& /*evaluator*/, Rng& rng) {
    const std::vector<doppler::Episode> episodes =
        Play(view, learner->policy(), {.exploration = exploration, .epsilon = 0.5}, kPlans, rng);
    const doppler::Loss total = learner->ComputeGradient(
        view,
        episodes,
        {.advantages = {1.0, -1.0, 0.5, -0.5}, .imitation_weight = 0.5, .entropy_weight = 0.1});
    learner->Step(0.01);
    std::vector<torch::Tensor> devices;
    for (const doppler::Episode& episode : episodes) {
      devices.push_back(torch::tensor(episode.devices, torch::kLong));
    }
    return {torch::stack(devices), torch::tensor({total.loss, total.entropy})};
  }
  [[nodiscard]] Checkpoint Saved() const { return learner->ToState(); }

  doppler::View view;
  doppler::Exploration exploration;
  std::unique_ptr<doppler::Learner> learner;
};

struct Hdp {
  using Options = hdp::TrainingOptions;
  static std::vector<Options> Variants() {
    std::vector<Options> variants(6);
    variants[1].sizes.faithful = true;
    variants[2].sizes.attention = false;
    variants[3].sizes.placer = hdp::PlacerKind::kFlat;
    variants[4].sizes.grouper = hdp::GrouperKind::kRandom;
    variants[5].rule = {.algorithm = Algorithm::kPpo, .ppo = {.n_epochs = 2, .num_minibatches = 2}};
    return variants;
  }
  Hdp(const env::Problem& problem, const Options& options, torch::Device device)
      : view(hdp::MakeView(problem, options.units, options.sizes, device)),
        learner(MakeLearner<hdp::Learner>(options, Fitted(options.sizes, view), device)) {}

  Sampled Update(env::Evaluator& evaluator, Rng& rng) {
    const hdp::Rollout samples = *learner->Sample(view, kPlans, evaluator, rng);
    RewardBaseline baseline(0.9);
    learner->Learn(view, samples, {.entropy_weight = 0.1}, baseline, rng);
    return {torch::cat({samples.plans.groups, samples.plans.devices}, 1).to(torch::kCPU),
            samples.plans.decisions.log_probs.to(torch::kCPU)};
  }
  [[nodiscard]] Checkpoint Saved() const { return learner->ToWeights(); }

  hdp::View view;
  std::unique_ptr<hdp::Learner> learner;
};

struct Placeto {
  using Options = placeto::TrainingOptions;
  static std::vector<Options> Variants() {
    std::vector<Options> variants(5);
    variants[4].sizes.layers = placeto::Layers::kPublished;
    variants[1].sizes.faithful = false;
    variants[2].sizes.aggregation = Aggregation::kSum;
    variants[3].sizes.aggregation = Aggregation::kMax;
    return variants;
  }
  Placeto(const env::Problem& problem, const Options& options, torch::Device device)
      : view(placeto::MakeView(problem, options.groups, device)),
        learner(MakeLearner<placeto::Learner>(options, Fitted(options.sizes, view), device)) {}

  Sampled Update(env::Evaluator& evaluator, Rng& rng) {
    const placeto::Episode episode =
        *Play(view, {}, std::nullopt, learner->policy(), evaluator, rng);
    StepBaseline baseline(2);
    learner->Learn(
        view, std::span(&episode, 1), {.entropy_weight = 0.1, .learning_rate = 0.01}, baseline);
    return {episode.devices.to(torch::kCPU), episode.log_probs};
  }
  [[nodiscard]] Checkpoint Saved() const { return learner->ToState(); }

  placeto::View view;
  std::unique_ptr<placeto::Learner> learner;
};

struct Go {
  using Options = go::TrainingOptions;
  static std::vector<Options> Variants() {
    std::vector<Options> variants(5);
    for (Options& options : variants) {
      options.rows.first = 2;
    }
    variants[1].elites = 0;
    variants[2].table_learning_rate = 0.0;
    variants[3].advantage = go::Advantage::kBaseline;
    variants[4].sizes.segment = 1;  // with rows of the segment before
    return variants;
  }
  Go(const env::Problem& problem, const Options& options, torch::Device device)
      : view(go::MakeView(problem, options.rows, options.sizes, device)),
        memory(view, options, device),
        learner(MakeLearner<go::Learner>(options, options.sizes, device)) {}

  Sampled Update(env::Evaluator& evaluator, Rng& rng) {
    const go::Rollout samples = *learner->Sample(view, 0, kPlans, &memory, evaluator, rng);
    RewardBaseline baseline(0.9);
    learner->Learn(view, samples, 0.5, baseline, memory, rng);
    return {samples.sampled.actions.to(torch::kCPU),
            samples.sampled.decisions.log_probs.to(torch::kCPU)};
  }
  [[nodiscard]] Checkpoint Saved() const { return learner->ToState(); }

  go::View view;
  go::Memory memory;
  std::unique_ptr<go::Learner> learner;
};

template <class Agent>
class NetworkDevicesTest : public ::testing::Test {
 private:
  TorchSession one_thread_{1, NetworkDevice::kCuda};
};

using Agents = ::testing::Types<ReinforceLstm, Doppler, Go, Hdp, Placeto>;
TYPED_TEST_SUITE(NetworkDevicesTest, Agents);

// Sampling, evaluation, the loss, its gradient and a step of Adam, twice: Adam has its memory by
// then.
TYPED_TEST(NetworkDevicesTest, NoOperationOfAnUpdateMixesDevices) {
  const auto problem = FourOps();
  for (const auto& options : TypeParam::Variants()) {
    TypeParam agent(*problem, options, torch::kMeta);
    env::Evaluator evaluator(problem, {});
    Rng rng(1);
    const DeviceWatch watch;
    for (int update = 0; update < 2; ++update) {
      EXPECT_NO_THROW(agent.Update(evaluator, rng));
    }
    for (const torch::Tensor& parameter : agent.learner->policy().parameters()) {
      EXPECT_TRUE(parameter.is_meta());
    }
  }
}

TYPED_TEST(NetworkDevicesTest, WhatIsSavedLiesOnTheCpu) {
  const auto problem = FourOps();
  TypeParam agent(*problem, {}, torch::kMeta);
  const DeviceWatch watch;
  const Checkpoint saved = agent.Saved();
  EXPECT_GT(saved.tensors.size(), 5U);
  for (const auto& [name, tensor] : saved.tensors) {
    EXPECT_TRUE(tensor.is_cpu()) << name;
  }
}

// Sums of some hundred terms of size 1 in float32, in another order. A sample would differ only
// where the number sampled lies within such a difference of the border between two choices.
TYPED_TEST(NetworkDevicesTest, OnCudaTheFirstUpdateIsThatOfTheCpu) {
  if (!torch::cuda::is_available()) {
    GTEST_SKIP() << "no CUDA device";
  }
  const auto problem = FourOps();
  for (const auto& options : TypeParam::Variants()) {
    const auto update_on = [&](torch::Device device) {
      env::Evaluator evaluator(problem, {});
      Rng rng(1);
      return TypeParam(*problem, options, device).Update(evaluator, rng);
    };
    const Sampled on_cpu = update_on(torch::kCPU);
    const Sampled on_cuda = update_on(torch::kCUDA);
    EXPECT_TRUE(torch::equal(on_cuda.choices, on_cpu.choices));
    EXPECT_LT((on_cuda.log_probs - on_cpu.log_probs).abs().max().template item<double>(), 1e-4);
  }
}

// The premise of the tests above.
TEST(DeviceWatchTest, OperandsOfTwoDevicesAreRefused) {
  const torch::Tensor here = torch::ones({2});
  const torch::Tensor there = torch::ones({2}, torch::kMeta);
  const torch::Tensor indices = torch::zeros({1}, torch::kLong);
  const DeviceWatch watch;
  EXPECT_THROW(torch::cat({here, there}), std::runtime_error);
  EXPECT_THROW(static_cast<void>(there.index_select(0, indices)), std::runtime_error);
  EXPECT_NO_THROW(static_cast<void>(there.index_select(0, indices.to(torch::kMeta)) * 2.0));
  EXPECT_TRUE(torch::equal(there.to(torch::kCPU), torch::zeros({2})));
}

TEST(DeviceWatchTest, OperandsOfABackwardPassAreWatched) {
  const torch::Tensor weight = torch::ones({2}, torch::device(torch::kMeta).requires_grad(true));
  const DeviceWatch watch;
  const torch::Tensor twice = weight * 2.0;
  twice.register_hook([](const torch::Tensor& gradient) { return gradient + torch::ones({2}); });
  try {
    twice.sum().backward();
    FAIL() << "a gradient was added to what lies elsewhere";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("aten::add was given tensors of several devices"));
  }
}

}  // namespace
}  // namespace opyard::agents
