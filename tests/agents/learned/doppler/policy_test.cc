// DOPPLER's policies against enumeration, and their gradients.
#include "agents/learned/doppler/policy.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/doppler/learner.h"
#include "tests/agents/learned/doppler/doppler_problems.h"
#include "tests/agents/learned/flat_gradient.h"

namespace opyard::agents::doppler {
namespace {

using testing::AllEpisodes;
using testing::DenseInstance;
using testing::DiamondAndOne;
using testing::InFloat64;
using testing::kPerOp;
using testing::LogProbsOf;
using testing::ThreeOps;
using testing::ToFloat64;

constexpr Sizes kSmall{.faithful = false, .hidden = 5, .head = 4, .rounds = 2};
constexpr Sizes kFaithful{.faithful = true, .hidden = 5, .head = 4, .rounds = 2};

class DopplerPolicyTest : public ::testing::TestWithParam<Sizes> {
 protected:
  [[nodiscard]] static Learner MakeLearner(TrainingOptions options = {}) {
    Rng rng(3);
    return {options, GetParam(), rng};
  }
};

INSTANTIATE_TEST_SUITE_P(Sizes,
                         DopplerPolicyTest,
                         ::testing::Values(kSmall, kFaithful),
                         [](const auto& sizes) {
                           return std::string(sizes.param.faithful ? "faithful" : "ours");
                         });

// Three orders of three ops on two devices each: 3 · 8 episodes.
TEST_P(DopplerPolicyTest, ProbabilitiesOfAllEpisodesAddUpToOne) {
  const auto problem = ThreeOps();
  const View view = MakeView(*problem, kPerOp);
  Learner learner = MakeLearner();
  const auto episodes = AllEpisodes(view, GetParam().faithful);
  ASSERT_EQ(episodes.size(), 24U);
  const double sum = LogProbsOf(view, learner.policy(), episodes).exp().sum().item<double>();
  EXPECT_NEAR(sum, 1.0, 1e-5);  // float32
}

TEST_P(DopplerPolicyTest, EpisodesAreSampledAsOftenAsTheirProbabilitiesSay) {
  constexpr std::int64_t kSamples = 6000;
  const auto problem = ThreeOps();
  const View view = MakeView(*problem, kPerOp);
  Learner learner = MakeLearner();
  Rng rng(11);
  std::map<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>, double> counts;
  for (const Episode& episode : Play(view, learner.policy(), {}, kSamples, rng)) {
    counts[{episode.nodes, episode.devices}] += 1.0;
  }
  const auto episodes = AllEpisodes(view, GetParam().faithful);
  const torch::Tensor probs = LogProbsOf(view, learner.policy(), episodes).exp();
  double seen = 0.0;
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    const double expected = kSamples * probs[static_cast<std::int64_t>(i)].item<double>();
    const double count = counts[{episodes[i].nodes, episodes[i].devices}];
    EXPECT_NEAR(count, expected, 5.0 * std::sqrt(expected) + 1.0);  // five deviations of a binomial
    seen += count;
  }
  EXPECT_EQ(seen, kSamples);
}

// The results of a batch of whole episodes are those of each step when it was played.
TEST_P(DopplerPolicyTest, ABatchOfEpisodesIsTheirSteps) {
  const auto problem = DenseInstance(3, 9, 3);
  const View view = MakeView(*problem, kPerOp);
  Learner learner = MakeLearner();
  Rng rng(5);
  const auto episodes = Play(view, learner.policy(), {}, 3, rng);
  const torch::NoGradGuard no_grad;
  const torch::Tensor together = LogProbsOf(view, learner.policy(), episodes);
  const PolicyInput input = learner.policy().PolicyInputOf(view);
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    double sum = 0.0;
    PartialSchedule schedule(view.graph, view.transfers, GetParam().faithful);
    torch::Tensor on_device = torch::zeros({1, 3, 9});
    for (std::size_t step = 0; step < episodes[i].nodes.size(); ++step) {
      const std::int64_t node = episodes[i].nodes[step];
      const std::int64_t device = episodes[i].devices[step];
      std::vector<float> features;
      schedule.AppendDeviceFeatures(node, view.scale, features);
      sum += learner.policy()
                 .SelectLogProbs(
                     view,
                     input,
                     MakeSelectBatch({schedule.ready()}, torch::kCPU))[0][episodes[i].columns[step]]
                 .item<double>();
      sum += learner.policy()
                 .PlaceLogProbs(view,
                                input,
                                {.node = torch::tensor({node}, torch::kLong),
                                 .device_x = torch::tensor(features).view({1, 3, -1}),
                                 .on_device = on_device})[0][device]
                 .item<double>();
      schedule.Place(node, device);
      on_device[0][device][node] = 1.0F;
    }
    EXPECT_NEAR(together[static_cast<std::int64_t>(i)].item<double>(), sum, 1e-4);
  }
}

// The gradient of − Σ P(e) A(e) over all episodes, which the advantages P(e) A(e) stand for, is
// that of the expected advantage, taken through the probabilities themselves: REINFORCE without
// noise.
TEST_P(DopplerPolicyTest, TheUpdateFollowsTheGradientOfTheExpectedAdvantage) {
  const auto problem = ThreeOps();
  const View view = InFloat64(MakeView(*problem, kPerOp));
  Learner learner = MakeLearner();
  ToFloat64(learner.policy());
  const auto episodes = AllEpisodes(view, GetParam().faithful);
  const torch::Tensor worth = torch::linspace(-1.0, 2.0, 24, torch::kDouble).square();
  const torch::Tensor expected = (LogProbsOf(view, learner.policy(), episodes).exp() * worth).sum();
  const torch::Tensor exact = testing::FlatGradient(learner.policy(), expected).clone();
  const torch::Tensor weights =
      (LogProbsOf(view, learner.policy(), episodes).exp() * worth).detach().contiguous();
  const double* first = weights.data_ptr<double>();
  learner.ComputeGradient(view, episodes, {.advantages = {first, first + 24}});
  std::vector<torch::Tensor> parts;
  for (const torch::Tensor& parameter : learner.policy().parameters()) {
    parts.push_back(parameter.grad().flatten());
  }
  // A mean over 24 · 3 decisions of either policy; weights go through float32.
  const torch::Tensor estimated = -torch::cat(parts) * (2.0 * 24.0 * 3.0);
  EXPECT_TRUE(torch::allclose(estimated, exact, 1e-5, 1e-7));
  EXPECT_GT(exact.abs().max().item<double>(), 1e-3);
}

// In float64; all three parts of the loss.
TEST_P(DopplerPolicyTest, GradientsAreThoseOfFiniteDifferences) {
  const auto problem = DiamondAndOne();
  const View view = InFloat64(MakeView(*problem, kPerOp));
  Learner learner = MakeLearner();
  ToFloat64(learner.policy());
  Rng rng(8);
  Learner sampling = MakeLearner();
  const View single = MakeView(*problem, kPerOp);
  const auto episodes = Play(single, sampling.policy(), {}, 2, rng);
  const UpdateTargets targets{
      .advantages = {1.5, -0.5}, .discount = 0.75, .imitation_weight = 0.5, .entropy_weight = 0.25};
  learner.ComputeGradient(view, episodes, targets);
  std::map<std::string, double> gradients;
  for (const auto& item : learner.policy().named_parameters()) {
    gradients[item.key()] = item.value().grad().flatten()[0].item<double>();
  }
  for (const auto& item : learner.policy().named_parameters()) {
    constexpr double kStep = 1e-6;
    double& parameter = *item.value().data_ptr<double>();  // its first number
    const double before = parameter;
    parameter = before + kStep;
    const double above = learner.ComputeGradient(view, episodes, targets).loss;
    parameter = before - kStep;
    const double below = learner.ComputeGradient(view, episodes, targets).loss;
    parameter = before;
    EXPECT_NEAR(gradients[item.key()], (above - below) / (2 * kStep), 1e-6) << item.key();
  }
}

TEST_P(DopplerPolicyTest, EveryParameterHasAGradient) {
  const auto problem = DenseInstance(2, 12, 3);
  const View view = MakeView(*problem, kPerOp);
  Learner learner = MakeLearner();
  Rng rng(6);
  const auto episodes = Play(view, learner.policy(), {}, 4, rng);
  learner.ComputeGradient(view, episodes, {.advantages = {1.0, -1.0, 0.5, -0.5}});
  for (const auto& item : learner.policy().named_parameters()) {
    EXPECT_GT(item.value().grad().abs().max().item<double>(), 0.0) << item.key();
  }
}

TEST_P(DopplerPolicyTest, AChooserThatIsTheTeacherLearnsNothing) {
  const auto problem = DenseInstance(2, 6, 2);
  const View view = MakeView(*problem, kPerOp);
  Learner learner = MakeLearner({.select = Chooser::kTeacher});
  Rng rng(6);
  const auto episodes = Play(view, learner.policy(), {.select = Chooser::kTeacher}, 2, rng);
  learner.ComputeGradient(view, episodes, {.advantages = {1.0, -1.0}});
  for (const auto& item : learner.policy().named_parameters()) {
    const bool is_select = item.key().starts_with("select");
    EXPECT_EQ(item.value().grad().defined() && item.value().grad().abs().max().item<double>() > 0.0,
              !is_select)
        << item.key();
  }
  for (std::size_t step = 0; step < episodes[0].columns.size(); ++step) {
    const auto begin = static_cast<std::size_t>(episodes[0].first[step]);
    EXPECT_EQ(episodes[0].is_critical[begin + static_cast<std::size_t>(episodes[0].columns[step])],
              1.0F);
  }
}

// With epsilon 0 all episodes are the likeliest one, with 1 they differ.
TEST_P(DopplerPolicyTest, EpsilonIsTheShareOfUniformChoices) {
  const auto problem = DenseInstance(2, 8, 3);
  const View view = MakeView(*problem, kPerOp);
  Learner learner = MakeLearner();
  const auto num_different = [&](double epsilon) {
    Rng rng(6);
    std::set<std::vector<std::int64_t>> different;
    for (const Episode& episode :
         Play(view,
              learner.policy(),
              {.exploration = Exploration::kEpsilonGreedy, .epsilon = epsilon},
              10,
              rng)) {
      different.insert(episode.devices);
    }
    return different.size();
  };
  EXPECT_EQ(num_different(0.0), 1U);
  EXPECT_GT(num_different(1.0), 5U);
}

}  // namespace
}  // namespace opyard::agents::doppler
