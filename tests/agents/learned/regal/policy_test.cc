#include "agents/learned/regal/policy.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/torch_session.h"
#include "agents/learned/regal/learner.h"
#include "tests/agents/learned/flat_gradient.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using testing::FlatGradient;
using testing::kBoth;
using testing::kPlacement;
using testing::kScheduling;
using testing::MakeProblem;
using testing::UnevenOp;

RegalSizes Small(RegalNetwork network) {
  return {.network = network,
          .type_embedding = 3,
          .hidden = 6,
          .rounds = 2,
          .bins = 3,
          .learned_bias = true,
          .spread = 0.4};
}

// Two ops, of which the second may not leave d0: 2 means and 2 variances where it has no choice.
std::shared_ptr<const env::Problem> TwoOps(env::TaskSet tasks) {
  return MakeProblem(
      opyard::testing::MakeGraph({UnevenOp("a", {3, 7}), UnevenOp("b", {11, 5}, {{0, 0}})}),
      opyard::testing::MeshMachine(2),
      tasks);
}

// With weights of which no one is 0, as after some updates.
std::shared_ptr<RegalPolicy> Trained(const RegalSizes& sizes, std::uint64_t seed) {
  Rng rng(seed);
  auto policy = std::make_shared<RegalPolicy>(sizes, rng);
  const torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : policy->parameters()) {
    std::vector<float> noise(static_cast<std::size_t>(parameter.numel()));
    for (float& value : noise) {
      value = static_cast<float>(0.5 * rng.Normal());
    }
    parameter.add_(torch::tensor(noise).view_as(parameter));
  }
  return policy;
}

// All sequences of `num_decisions` bins, int64 [bins^num_decisions, num_decisions].
torch::Tensor AllBins(std::int64_t num_decisions, std::int64_t num_bins) {
  const std::vector<torch::Tensor> each(static_cast<std::size_t>(num_decisions),
                                        torch::arange(num_bins));
  return torch::cartesian_prod(each);
}

class RegalPolicyTest : public ::testing::TestWithParam<RegalNetwork> {
 private:
  TorchSession one_thread_{1};
};

INSTANTIATE_TEST_SUITE_P(Networks,
                         RegalPolicyTest,
                         ::testing::Values(RegalNetwork::kMessages, RegalNetwork::kSequence));

// 2 groups × (2 devices + 1 priority) × 2 and an elite bias: 13 decisions of 3 bins.
TEST_P(RegalPolicyTest, HasARowForEachDecision) {
  const auto problem = TwoOps(kBoth);
  const RegalView view = MakeRegalView(*problem, Small(GetParam()));
  const torch::Tensor log_probs = Trained(Small(GetParam()), 1)->Forward(view);
  EXPECT_EQ(log_probs.sizes(), (torch::IntArrayRef{13, 3}));
  EXPECT_EQ(view.has_choice.sizes(), (torch::IntArrayRef{13}));
  EXPECT_TRUE(torch::allclose(log_probs.exp().sum(1), torch::ones({13})));
}

// Priorities of two groups and an elite bias: 5 decisions of 3 bins, 243 proposals. The gradient of
// the expected reward J = Σ p(a) r(a), differentiated as it stands, is the expectation of what
// REINFORCE follows, Σ p(a) r(a) ∇ ln p(a), summed over all of them. float32: relative 1e-4.
TEST_P(RegalPolicyTest, ReinforceFollowsTheGradientOfTheExpectedReward) {
  const auto problem = TwoOps(kScheduling);
  const RegalSizes sizes = Small(GetParam());
  const RegalView view = MakeRegalView(*problem, sizes);
  const auto policy = Trained(sizes, 5);
  const torch::Tensor bins = AllBins(5, 3);  // [243, 5]
  Rng rng(2);
  std::vector<float> drawn;
  for (std::int64_t i = 0; i < bins.size(0); ++i) {
    drawn.push_back(static_cast<float>(rng.Normal()));
  }
  const torch::Tensor rewards = torch::tensor(drawn);  // [243]
  const auto log_probs_of_all = [&] {
    return policy->Forward(view).gather(1, bins.t()).sum(0);  // [243]
  };
  const torch::Tensor probs = log_probs_of_all().detach().exp();
  EXPECT_NEAR(probs.sum().item<double>(), 1.0, 1e-5);
  const torch::Tensor exact = FlatGradient(*policy, (log_probs_of_all().exp() * rewards).sum());
  // ReinforceLoss is minus a mean over the samples: times their number it is minus the sum.
  const torch::Tensor estimated = FlatGradient(
      *policy, -ReinforceLoss(log_probs_of_all(), probs * rewards) * static_cast<double>(243));
  EXPECT_GT(exact.norm().item<double>(), 1e-3);
  EXPECT_LT((exact - estimated).norm().item<double>(), 1e-4 * exact.norm().item<double>());
}

TEST_P(RegalPolicyTest, StoredLogProbabilitiesAreThoseOfTheBins) {
  const auto problem = TwoOps(kBoth);
  Rng weights(3);
  RegalLearner learner({}, Small(GetParam()), weights);
  const RegalView view = MakeRegalView(*problem, Small(GetParam()));
  Rng rng(4);
  const DrawnProposals drawn = learner.Draw(view, 5, rng);
  const torch::Tensor log_probs = learner.policy().Forward(view);
  for (std::int64_t sample = 0; sample < 5; ++sample) {
    for (std::int64_t decision = 0; decision < 13; ++decision) {
      const auto bin = drawn.bins[sample][decision].item<std::int64_t>();
      EXPECT_EQ(drawn.decisions.log_probs[sample][decision].item<float>(),
                log_probs[decision][bin].item<float>());
    }
  }
}

// exp(−(m − 1/2)² / 0.32) for m = 1/6, 1/2, 5/6: 0.7066, 1, 0.7066, divided by their sum.
TEST_P(RegalPolicyTest, AFreshNetworkProposesEvenDistributions) {
  const auto problem = TwoOps(kScheduling);
  Rng weights(3);
  RegalPolicy policy(Small(GetParam()), weights);
  const torch::Tensor probs = policy.Forward(MakeRegalView(*problem, Small(GetParam()))).exp();
  const double side = std::exp(-1.0 / 9.0 / 0.32);
  EXPECT_NEAR(probs[0][0].item<double>(), side / (1.0 + 2.0 * side), 1e-6);
  EXPECT_NEAR(probs[0][1].item<double>(), 1.0 / (1.0 + 2.0 * side), 1e-6);
  // The variance of an even distribution is a third of the greatest: between the first two bins.
  EXPECT_NEAR(probs[1][0].item<double>(), probs[1][1].item<double>(), 1e-6);
  EXPECT_LT(probs[1][2].item<double>(), probs[1][1].item<double>());
}

// Equal devices that change places change their rows with them, but for what their slots say.
TEST_P(RegalPolicyTest, ServesAnyNumberOfDevices) {
  RegalSizes sizes = Small(GetParam());
  const auto policy = Trained(sizes, 6);
  for (const std::size_t num_devices : {2, 3, 8}) {
    const auto problem =
        MakeProblem(opyard::testing::MakeGraph(
                        {UnevenOp("a", std::vector<std::int64_t>(num_devices, 3)),
                         UnevenOp("b", std::vector<std::int64_t>(num_devices, 5), {{0, 0}})}),
                    opyard::testing::MeshMachine(num_devices),
                    kPlacement);
    const torch::Tensor log_probs = policy->Forward(MakeRegalView(*problem, sizes));
    EXPECT_EQ(log_probs.size(0), static_cast<std::int64_t>(4 * num_devices + 1));
  }
}

TEST(RegalMiddlesTest, BinsStandForTheMiddlesOfTheirParts) {
  // (i + 1/2) / 4.
  EXPECT_TRUE(torch::equal(MiddlesOf(torch::tensor({0, 3, 1}), 4),
                           torch::tensor({0.125, 0.875, 0.375}, torch::kDouble)));
  // 1/2 · 1/4 + 1/4 · 3/4 + 1/4 · 5/4 … with bins of thirds: 1/6 · 1/2 + 1/2 · 1/4 + 5/6 · 1/4.
  const torch::Tensor log_probs = torch::tensor({{0.5, 0.25, 0.25}}, torch::kDouble).log();
  EXPECT_NEAR(ExpectedMiddles(log_probs)[0].item<double>(), 1.0 / 12 + 1.0 / 8 + 5.0 / 24, 1e-12);
}

}  // namespace
}  // namespace opyard::agents
