#include "agents/learned/regal/policy.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/torch_session.h"
#include "agents/learned/regal/learner.h"
#include "graphs/graph_sources.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/agents/learned/flat_gradient.h"
#include "tests/agents/learned/regal/two_ops.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::regal {
namespace {

using testing::FlatGradient;
using testing::kBoth;
using testing::kPlacement;
using testing::kScheduling;
using testing::MakeProblem;
using testing::UnevenOp;

Sizes Small(Network network) {
  return {.network = network,
          .type_embedding = 3,
          .hidden = 6,
          .rounds = 2,
          .bins = 3,
          .learned_bias = true,
          .spread = 0.4};
}

// Two ops, of which the second may not leave d0: 2 means and 2 variances where it has no choice.
// With weights of which no one is 0, as after some updates.
std::shared_ptr<Policy> Trained(const Sizes& sizes, std::uint64_t seed, double noise_size = 0.5) {
  Rng rng(seed);
  auto policy = std::make_shared<Policy>(sizes, rng);
  const torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : policy->parameters()) {
    std::vector<float> noise(static_cast<std::size_t>(parameter.numel()));
    for (float& value : noise) {
      value = static_cast<float>(noise_size * rng.Normal());
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

class RegalPolicyTest : public ::testing::TestWithParam<Network> {
 private:
  TorchSession one_thread_{1};
};

INSTANTIATE_TEST_SUITE_P(Networks,
                         RegalPolicyTest,
                         ::testing::Values(Network::kMessages, Network::kSequence));

// 2 groups × (2 devices + 1 priority) × 2 and an elite bias: 13 decisions of 3 bins.
TEST_P(RegalPolicyTest, HasARowForEachDecision) {
  const auto problem = TwoOps(kBoth);
  const View view = MakeView(*problem, Small(GetParam()));
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
  const Sizes sizes = Small(GetParam());
  const View view = MakeView(*problem, sizes);
  const auto policy = Trained(sizes, 5);
  const torch::Tensor bins = AllBins(5, 3);  // [243, 5]
  Rng rng(2);
  std::vector<float> sampled;
  for (std::int64_t i = 0; i < bins.size(0); ++i) {
    sampled.push_back(static_cast<float>(rng.Normal()));
  }
  const torch::Tensor rewards = torch::tensor(sampled);  // [243]
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

// The view in float64, so that differences are not those of rounding.
View InDouble(View view) {
  for (torch::Tensor* values : {&view.graph.x,
                                &view.graph.links.producers.x,
                                &view.graph.links.producers.edges.inverse,
                                &view.graph.links.consumers.x,
                                &view.graph.links.consumers.edges.inverse,
                                &view.ops_of_groups.inverse,
                                &view.devices.x}) {
    *values = values->to(torch::kDouble);
  }
  return view;
}

// (loss(w + h) − loss(w − h)) / 2h with h = 1e-5 errs by h² and by the rounding of float64, 1e-16 /
// h: relative 1e-6 where no ReLU bends between. The weight of each parameter with the greatest
// gradient.
TEST_P(RegalPolicyTest, TheGradientOfTheLossIsThatOfFiniteDifferences) {
  const auto problem = TwoOps(kBoth);
  const View view = InDouble(MakeView(*problem, Small(GetParam())));
  const auto policy = Trained(Small(GetParam()), 8);
  policy->to(torch::kDouble);
  Rng rng(9);
  const torch::Tensor bins = SampleChoices(policy->Forward(view), 4, rng);  // [4, 13]
  const torch::Tensor advantages = torch::tensor({0.5, -1.0, 0.25, 2.0}, torch::kDouble);
  const auto loss = [&] {
    const torch::Tensor log_probs = policy->Forward(view);
    return ReinforceLoss(log_probs.gather(1, bins.t()).sum(0), advantages) -
           0.1 * Entropy(log_probs).mean();
  };
  policy->zero_grad();
  loss().backward();
  constexpr double kStep = 1e-5;
  for (auto& item : policy->named_parameters()) {
    SCOPED_TRACE(item.key());
    ASSERT_TRUE(item.value().grad().defined());
    const torch::NoGradGuard no_grad;
    const auto i = item.value().grad().abs().argmax().item<std::int64_t>();
    const torch::Tensor weight = item.value().flatten()[i];  // a view of the parameter
    const auto exact = item.value().grad().flatten()[i].item<double>();
    weight.add_(kStep);
    const auto above = loss().item<double>();
    weight.sub_(2.0 * kStep);
    const auto below = loss().item<double>();
    weight.add_(kStep);
    EXPECT_NEAR((above - below) / (2.0 * kStep), exact, 1e-5 * std::abs(exact) + 1e-9);
  }
}

// On an exported training step and a machine with real links: no parameter is dead, of which no row
// of the type's embedding is asked for that no op has.
TEST_P(RegalPolicyTest, EveryParameterHasAGradientOnRealFeatures) {
  const auto problem = std::make_shared<const env::Problem>(
      env::ProblemSpec{.graph = graphs::LoadGraph("vgg16"),
                       .hardware = sim::LoadMachine("p100x4-pcie"),
                       .settings = {.tasks = kBoth}});
  Sizes sizes{.network = GetParam(), .learned_bias = true};
  const auto policy = Trained(sizes, 10, 0.05);  // more would saturate a softmax of this width
  const View view = MakeView(*problem, sizes);
  Rng rng(11);
  const torch::Tensor log_probs = policy->Forward(view);
  const torch::Tensor bins = SampleChoices(log_probs, 4, rng);
  const torch::Tensor advantages = torch::tensor({0.5F, -1.0F, 0.25F, 2.0F});
  policy->zero_grad();
  ReinforceLoss(log_probs.gather(1, bins.t()).sum(0), advantages).backward();
  for (const auto& item : policy->named_parameters()) {
    SCOPED_TRACE(item.key());
    ASSERT_TRUE(item.value().grad().defined());
    EXPECT_TRUE(item.value().grad().isfinite().all().item<bool>());
    EXPECT_GT(item.value().grad().abs().max().item<double>(), 0.0);
  }
}

// The logits of a group are the means of those of its ops, and the softmax does not see what all
// bins have in common: so are the differences of log-probabilities from those of the first bin.
TEST_P(RegalPolicyTest, AGroupHasTheMeanLogitsOfItsOps) {
  const auto graph = opyard::testing::MakeGraph({UnevenOp("a", {3, 7}),
                                                 UnevenOp("b", {11, 5}, {{0, 0}}),
                                                 UnevenOp("c", {2, 2}, {{0, 0}}),
                                                 UnevenOp("d", {4, 9}, {{1, 0}, {2, 0}})});
  const auto alone = MakeProblem(graph, opyard::testing::MeshMachine(2), kBoth);
  const Sizes sizes{.network = GetParam(), .hidden = 8, .rounds = 2, .bins = 3};
  const View of_ops = MakeView(*alone, sizes);
  ASSERT_EQ(of_ops.num_groups, 4);
  View of_groups = of_ops;  // a with c, and b with d
  SparseRows rows;
  rows.Append({0, 2});
  rows.Append({1, 3});
  of_groups.ops_of_groups = MakeSparseEdges(rows);
  of_groups.num_groups = 2;
  const auto policy = Trained(sizes, 12);
  const auto logits = [&](const View& view) {
    const torch::Tensor log_probs =  // [G, columns · 2, bins]
        policy->Forward(view).view({view.num_groups, -1, sizes.bins});
    return log_probs - log_probs.narrow(2, 0, 1);
  };
  const torch::Tensor single = logits(of_ops);
  const torch::Tensor expected =
      torch::stack({(single[0] + single[2]) / 2.0, (single[1] + single[3]) / 2.0});
  EXPECT_TRUE(torch::allclose(logits(of_groups), expected, 1e-4, 1e-5));
}

TEST_P(RegalPolicyTest, HasNoHeadsForWhatItDoesNotPropose) {
  Rng rng(1);
  Sizes sizes{.network = GetParam(), .genes = Genes::kScheduling};
  for (const auto& item : Policy(sizes, rng).named_parameters()) {
    EXPECT_FALSE(item.key().starts_with("affinity") || item.key().starts_with("devices") ||
                 item.key().starts_with("learned_bias"))
        << item.key();
  }
  sizes.genes = Genes::kPlacement;
  for (const auto& item : Policy(sizes, rng).named_parameters()) {
    EXPECT_FALSE(item.key().starts_with("priority")) << item.key();
  }
}

TEST_P(RegalPolicyTest, StoredLogProbabilitiesAreThoseOfTheBins) {
  const auto problem = TwoOps(kBoth);
  Rng weights(3);
  Learner learner({}, Small(GetParam()), weights);
  const View view = MakeView(*problem, Small(GetParam()));
  Rng rng(4);
  const SampledProposals sampled = learner.Sample(view, 5, rng);
  const torch::Tensor log_probs = learner.policy().Forward(view);
  for (std::int64_t sample = 0; sample < 5; ++sample) {
    for (std::int64_t decision = 0; decision < 13; ++decision) {
      const auto bin = sampled.bins[sample][decision].item<std::int64_t>();
      EXPECT_EQ(sampled.decisions.log_probs[sample][decision].item<float>(),
                log_probs[decision][bin].item<float>());
    }
  }
}

// exp(−(m − 1/2)² / 0.32) for m = 1/6, 1/2, 5/6: 0.7066, 1, 0.7066, divided by their sum.
TEST_P(RegalPolicyTest, AFreshNetworkProposesEvenDistributions) {
  const auto problem = TwoOps(kScheduling);
  Rng weights(3);
  Policy policy(Small(GetParam()), weights);
  const torch::Tensor probs = policy.Forward(MakeView(*problem, Small(GetParam()))).exp();
  const double side = std::exp(-1.0 / 9.0 / 0.32);
  EXPECT_NEAR(probs[0][0].item<double>(), side / (1.0 + 2.0 * side), 1e-6);
  EXPECT_NEAR(probs[0][1].item<double>(), 1.0 / (1.0 + 2.0 * side), 1e-6);
  // The variance of an even distribution is a third of the greatest: between the first two bins.
  EXPECT_NEAR(probs[1][0].item<double>(), probs[1][1].item<double>(), 1e-6);
  EXPECT_LT(probs[1][2].item<double>(), probs[1][1].item<double>());
}

// Equal devices that change places change their rows with them, but for what their slots say.
TEST_P(RegalPolicyTest, ServesAnyNumberOfDevices) {
  Sizes sizes = Small(GetParam());
  const auto policy = Trained(sizes, 6);
  for (const std::size_t num_devices : {2, 3, 8}) {
    const auto problem =
        MakeProblem(opyard::testing::MakeGraph(
                        {UnevenOp("a", std::vector<std::int64_t>(num_devices, 3)),
                         UnevenOp("b", std::vector<std::int64_t>(num_devices, 5), {{0, 0}})}),
                    opyard::testing::MeshMachine(num_devices),
                    kPlacement);
    const torch::Tensor log_probs = policy->Forward(MakeView(*problem, sizes));
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
}  // namespace opyard::agents::regal
