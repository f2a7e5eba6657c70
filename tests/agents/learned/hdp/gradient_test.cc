// HDP's networks on the features of a real graph, as they are.
#include <gtest/gtest.h>

#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/torch_session.h"
#include "agents/learned/hdp/grouper.h"
#include "agents/learned/hdp/search.h"
#include "tests/agents/learned/real_problem.h"

namespace opyard::agents::hdp {
namespace {

class HdpGradientTest : public ::testing::Test {
 protected:
  // Samples four plans of a fresh network of `sizes`, and computes the gradient of REINFORCE's
  // loss.
  Policy& PolicyWithGradient(const Sizes& sizes, const Sampling& sampling) {
    TrainingOptions options;
    options.units = UnitKind::kOp;
    options.sizes = sizes;
    search_ = std::make_unique<Search>(*problem_, options, 3);
    Policy& policy = search_->policy();
    const OpFeatures& features = search_->view().features;
    Rng rng(4);
    const SampledPlans plans = policy.Sample(features, 4, rng, sampling);
    const torch::Tensor advantages = torch::tensor({1.0, -2.0, 0.5, 1.5}, torch::kFloat);
    ReinforceLoss(
        policy.EvaluateActions(features, plans.groups, plans.devices, plans.noise).log_probs,
        advantages)
        .backward();
    return policy;
  }

  TorchSession one_thread_{1};
  std::shared_ptr<const env::Problem> problem_ = testing::TinyGnmt();
  std::unique_ptr<Search> search_;
};

TEST_F(HdpGradientTest, EveryParameterHasOneOnRawFeatures) {
  std::vector<Sizes> networks(4, {.num_groups = 12, .hidden = 24, .embedding = 12});
  networks[1].faithful = true;
  networks[1].grouper_temperature = 1.0;
  networks[1].temperature = 1.0;
  networks[1].tanh_constant = 1.0;
  networks[2].grouper = GrouperKind::kRandom;
  networks[3].placer = PlacerKind::kFlat;
  for (const Sizes& sizes : networks) {
    for (const double noise_std : {0.0, 0.5}) {
      SCOPED_TRACE(::testing::Message() << "faithful " << sizes.faithful << " noise " << noise_std);
      testing::ExpectGradientsEverywhere(
          PolicyWithGradient(sizes, {.noise_std = noise_std, .replayed = {}}));
    }
  }
}

// The share of the grouper's logits of the published network whose derivative would be less than
// 0.01 behind tanh(logit): most of them, so that nothing may limit them.
TEST_F(HdpGradientTest, ATanhWouldSaturateOnRawFeatures) {
  const Sizes sizes{.faithful = true, .num_groups = 12, .grouper_temperature = 1.0};
  const OpFeatures features = MakeOpFeatures(*problem_, UnitsOf(*problem_), /*faithful=*/true);
  Grouper grouper(sizes);
  Rng rng(3);
  InitialiseWeights(grouper, rng);
  const torch::NoGradGuard no_grad;
  const torch::Tensor limited = torch::tanh(grouper.Logits(features));
  const torch::Tensor slope = 1.0 - limited.square();
  EXPECT_GT((slope < 0.01).to(torch::kDouble).mean().item<double>(), 0.5);
  EXPECT_GT(grouper.Logits(features).abs().max().item<double>(), 10.0);  // as the code has them
}

}  // namespace
}  // namespace opyard::agents::hdp
