#include "agents/learned/common/ppo.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/common/reinforce.h"

namespace opyard::agents {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr double kClip = 0.2;

// Decisions of probability 1/2 when they were sampled, all of them choices.
SampledDecisions EvenlySampled(std::int64_t num_samples, std::int64_t num_decisions) {
  return {.log_probs = torch::full({num_samples, num_decisions}, std::log(0.5)),
          .has_choice = torch::ones({num_samples, num_decisions}, torch::kBool)};
}

// Log-probabilities now, with a gradient, of decisions that were sampled evenly.
torch::Tensor WithRatios(const torch::Tensor& ratios) {
  return (ratios.log() + std::log(0.5)).detach().requires_grad_();
}

struct ClippedCase {
  float ratio = 1.0F;
  float advantage = 0.0F;
  double gained = 0.0;
  double gradient = 0.0;  // of the loss
};

// The clip is [0.8, 1.2]. The gain is the lesser of ρ A and clip(ρ) A; the loss is its negative.
// Where ρ A is the lesser, d loss / d ln p = −A dρ / d ln p = −A ρ; else it is 0. Gains:
//   A = 2, ρ = 0.5: min(1, 1.6) = 1;       A = −2, ρ = 0.5: min(−1, −1.6) = −1.6, clipped;
//   A = 2, ρ = 1.1: min(2.2, 2.2) = 2.2;   A = −2, ρ = 1.1: min(−2.2, −2.2) = −2.2;
//   A = 2, ρ = 1.5: min(3, 2.4), clipped;  A = −2, ρ = 1.5: min(−3, −2.4) = −3.
TEST(PpoTest, NothingIsGainedByGoingBeyondTheClip) {
  for (const ClippedCase& at : {ClippedCase{0.5F, 2.0F, 1.0, -1.0},
                                ClippedCase{0.5F, -2.0F, -1.6, 0.0},
                                ClippedCase{1.1F, 2.0F, 2.2, -2.2},
                                ClippedCase{1.1F, -2.0F, -2.2, 2.2},
                                ClippedCase{1.5F, 2.0F, 2.4, 0.0},
                                ClippedCase{1.5F, -2.0F, -3.0, 3.0}}) {
    SCOPED_TRACE(::testing::Message() << at.ratio << ", " << at.advantage);
    const torch::Tensor log_probs = WithRatios(torch::tensor({{at.ratio}}));
    const torch::Tensor loss =
        PpoLoss(log_probs, EvenlySampled(1, 1), torch::tensor({at.advantage}), kClip);
    loss.backward();
    EXPECT_NEAR(loss.item<double>(), -at.gained, 1e-6);  // float32
    EXPECT_NEAR(log_probs.grad().item<double>(), at.gradient, 1e-6);
  }
}

// Plan 0: (1.1 + 0.9) · 3 = 6, its last decision being none. Plan 1: (1 + 1 + 0.9) · −5 = −14.5.
// −(6 − 14.5) / 2 = 4.25.
TEST(PpoTest, DecisionsThatCountAreAddedUpAndPlansAveraged) {
  SampledDecisions sampled = EvenlySampled(2, 3);
  sampled.has_choice[0][2] = false;
  const torch::Tensor log_probs =
      WithRatios(torch::tensor({{1.1F, 0.9F, 1.15F}, {1.0F, 1.0F, 0.9F}}));
  const torch::Tensor loss = PpoLoss(log_probs, sampled, torch::tensor({3.0F, -5.0F}), kClip);
  EXPECT_NEAR(loss.item<double>(), 4.25, 1e-5);
  loss.backward();
  EXPECT_EQ(log_probs.grad()[0][2].item<double>(), 0.0);
}

// 1.1 · 3 + 0.9 · −7 = −3.
TEST(PpoTest, EachDecisionMayHaveAnAdvantageOfItsOwn) {
  const torch::Tensor log_probs = WithRatios(torch::tensor({{1.1F, 0.9F}}));
  const torch::Tensor loss =
      PpoLoss(log_probs, EvenlySampled(1, 2), torch::tensor({{3.0F, -7.0F}}), kClip);
  EXPECT_NEAR(loss.item<double>(), 3.0, 1e-5);
}

TEST(PpoTest, BeforeTheFirstStepTheGradientIsThatOfReinforce) {
  const torch::Tensor logits = torch::tensor(
      {{{0.3F, -1.0F}, {2.0F, 0.5F}, {0.0F, 1.0F}}, {{1.0F, 1.5F}, {-0.2F, 0.1F}, {3.0F, 0.0F}}});
  const torch::Tensor choices = torch::tensor({{0, 1, 1}, {1, 0, 0}}, torch::kLong);
  const torch::Tensor advantages = torch::tensor({2.0F, -3.0F});
  const auto gradient = [&](const auto& loss_of) {
    const torch::Tensor leaf = logits.clone().requires_grad_();
    const torch::Tensor chosen =
        torch::log_softmax(leaf, 2).gather(2, choices.unsqueeze(2)).squeeze(2);
    loss_of(chosen).backward();
    return leaf.grad();
  };
  const torch::Tensor of_ppo = gradient([&](const torch::Tensor& log_probs) {
    const SampledDecisions sampled{.log_probs = log_probs.detach(),
                                   .has_choice = torch::ones({2, 3}, torch::kBool)};
    return PpoLoss(log_probs, sampled, advantages, kClip);
  });
  const torch::Tensor of_reinforce = gradient(
      [&](const torch::Tensor& log_probs) { return ReinforceLoss(log_probs.sum(1), advantages); });
  EXPECT_GT(of_reinforce.abs().max().item<double>(), 0.1);
  EXPECT_LT((of_ppo - of_reinforce).abs().max().item<double>(), 1e-6);  // float32
}

// 1.01^100 = 2.70: one ratio for the plan would be clipped at 1.2 and teach nothing more. Each
// decision by itself has moved by a hundredth: 100 · 1.01 · A.
TEST(PpoTest, ManyDecisionsThatMoveALittleAreNotClipped) {
  const torch::Tensor log_probs = WithRatios(torch::full({1, 100}, 1.01F));
  ASSERT_GT((log_probs - std::log(0.5)).sum().exp().item<double>(), 1.0 + kClip);
  const torch::Tensor loss =
      PpoLoss(log_probs, EvenlySampled(1, 100), torch::tensor({3.0F}), kClip);
  EXPECT_NEAR(loss.item<double>(), -303.0, 1e-3);
  loss.backward();
  EXPECT_LT((log_probs.grad() + 3.03).abs().max().item<double>(), 1e-5);
}

// ρ = 1/2: −1/2 + ln 2. ρ = 2: 1 − ln 2. Their mean is 1/4; the third decision is none.
TEST(PpoTest, TheDivergenceIsEstimatedOverDecisionsThatCount) {
  SampledDecisions sampled = EvenlySampled(1, 3);
  sampled.has_choice[0][2] = false;
  const torch::Tensor log_probs = WithRatios(torch::tensor({{0.5F, 2.0F, 4.0F}}));
  EXPECT_NEAR(ApproximateKl(log_probs, sampled), 0.25, 1e-6);
  sampled.has_choice.fill_(false);
  EXPECT_EQ(ApproximateKl(log_probs, sampled), 0.0);
}

// From (1/2, 1/2) to (1/4, 3/4), each choice sampled once in two: the ratios are 1/2 and 3/2, and
// KL = (ln 2 + ln 2/3) / 2 = 0.143841.
TEST(PpoTest, TheEstimateIsUnbiased) {
  const torch::Tensor log_probs = WithRatios(torch::tensor({{0.5F}, {1.5F}}));
  EXPECT_NEAR(ApproximateKl(log_probs, EvenlySampled(2, 1)), 0.143841, 1e-6);
}

TEST(PpoTest, EachSampleIsInOneShareAndSharesDifferByOneAtMost) {
  Rng rng(1);
  for (const std::int64_t num_samples : {1, 4, 7, 16}) {
    for (const std::int64_t num_minibatches : {1, 3, 4, 5}) {
      SCOPED_TRACE(::testing::Message() << num_samples << " in " << num_minibatches);
      const auto shares = RandomMinibatches(num_samples, num_minibatches, rng);
      EXPECT_EQ(std::ssize(shares), std::min(num_samples, num_minibatches));
      std::vector<std::int64_t> dealt;
      for (const auto& share : shares) {
        EXPECT_GE(std::ssize(share), std::max<std::int64_t>(num_samples / num_minibatches, 1));
        EXPECT_LE(std::ssize(share), (num_samples + num_minibatches - 1) / num_minibatches);
        dealt.insert(dealt.end(), share.begin(), share.end());
      }
      std::ranges::sort(dealt);
      ASSERT_EQ(std::ssize(dealt), num_samples);
      for (std::int64_t sample = 0; sample < num_samples; ++sample) {
        EXPECT_EQ(dealt[static_cast<std::size_t>(sample)], sample);
      }
    }
  }
}

TEST(PpoTest, SharesAreThoseOfTheGeneratorAndOthersEveryTime) {
  Rng first(5);
  Rng second(5);
  const auto shares = RandomMinibatches(16, 4, first);
  EXPECT_EQ(shares, RandomMinibatches(16, 4, second));
  EXPECT_NE(shares, RandomMinibatches(16, 4, first));
}

// A policy of one number, by which each step raises all log-probabilities by 0.1, whatever the
// loss. It remembers what it was asked.
class ShiftedPolicy {
 public:
  ShiftedPolicy(std::int64_t num_samples, double shift = 0.0)
      : sampled_(EvenlySampled(num_samples, 2)), shift_(shift) {}

  [[nodiscard]] UpdateReport Learn(const PpoOptions& options, double entropy_weight = 0.0) {
    return Learn(LearningRule{.algorithm = Algorithm::kPpo, .ppo = options}, entropy_weight);
  }
  [[nodiscard]] UpdateReport Learn(const LearningRule& rule, double entropy_weight) {
    UpdateReport report{.entropy_weight = entropy_weight};
    Rng rng(3);
    LearnBy(
        rule,
        {.sampled = sampled_,
         .advantages = torch::full({sampled_.log_probs.size(0)}, 2.0F),
         .evaluate_actions = [&](const torch::Tensor& plans) { return EvaluateMinibatch(plans); },
         .gradient_step =
             [&](const torch::Tensor&) {
               shift_ += 0.1;
               return static_cast<double>(++num_steps_);
             }},
        rng,
        report);
    return report;
  }

  [[nodiscard]] const std::vector<std::int64_t>& evaluated() const { return evaluated_; }

 private:
  MinibatchEvaluation EvaluateMinibatch(const torch::Tensor& samples) {
    const auto* first = samples.const_data_ptr<std::int64_t>();
    evaluated_.insert(evaluated_.end(), first, first + samples.numel());
    const torch::Tensor log_probs = sampled_.log_probs.index_select(0, samples) + shift_;
    return {.log_probs = log_probs.sum(1),
            .decision_log_probs = log_probs,
            .entropy = torch::tensor(0.5),
            .entropy_bonus = torch::tensor(0.25)};
  }

  SampledDecisions sampled_;
  double shift_;
  std::int64_t num_steps_ = 0;
  std::vector<std::int64_t> evaluated_;
};

TEST(PpoTest, EachEpochGoesOverEachSampleOnce) {
  ShiftedPolicy policy(5);
  const UpdateReport report = policy.Learn({.n_epochs = 3, .num_minibatches = 2, .target_kl = 0.0});
  EXPECT_EQ(report.num_steps, 6);
  ASSERT_THAT(policy.evaluated(), SizeIs(15));
  for (auto epoch = policy.evaluated().begin(); epoch != policy.evaluated().end(); epoch += 5) {
    std::vector<std::int64_t> samples(epoch, epoch + 5);
    std::ranges::sort(samples);
    EXPECT_THAT(samples, ElementsAre(0, 1, 2, 3, 4));
  }
}

// Before the steps the log-probabilities are 0, 0.1, 0.2 and 0.3 above those sampled: e^δ − 1 − δ
// is 0, 0.0052, 0.0214 and 0.0499, beyond 0.03. Three steps are made, of gradients 1, 2 and 3.
TEST(PpoTest, TheUpdateEndsWhereThePolicyHasGoneTooFar) {
  ShiftedPolicy policy(4);
  const UpdateReport report =
      policy.Learn({.n_epochs = 8, .num_minibatches = 1, .target_kl = 0.03});
  EXPECT_EQ(report.num_steps, 3);
  EXPECT_NEAR(*report.kl, std::exp(0.3) - 1.3, 1e-6);
  EXPECT_EQ(report.gradient_norm, 2.0);
  EXPECT_EQ(report.entropy, 0.5);
  EXPECT_EQ(ShiftedPolicy(4).Learn({.n_epochs = 8, .target_kl = 0.0}).num_steps, 8);
}

// A plan that was sampled by another policy, far away, is still learnt from once.
TEST(PpoTest, TheFirstStepIsAlwaysMade) {
  EXPECT_EQ(ShiftedPolicy(4, 1.0).Learn({.n_epochs = 8, .target_kl = 0.03}).num_steps, 1);
}

// Two decisions a plan: −2 · (1 + 1) at the first step, less 0.25 per unit of the entropy's weight;
// −2 · (e^0.1 + e^0.1) at the second.
TEST(PpoTest, TheLossIsTheMeanOverTheStepsAndPaysForEntropy) {
  EXPECT_NEAR(ShiftedPolicy(4).Learn({.n_epochs = 1}, 3.0).loss, -4.75, 1e-5);
  EXPECT_NEAR(ShiftedPolicy(4).Learn({.n_epochs = 2}).loss, -2.0 - 2.0 * std::exp(0.1), 1e-5);
}

// Two plans of two decisions of probability 1/2 each: −2 · 2 ln(1/2), less 3 · 0.25.
TEST(PpoTest, ByReinforceAnUpdateIsOneStepOnAllSamples) {
  ShiftedPolicy policy(2);
  const UpdateReport report = policy.Learn(LearningRule{}, 3.0);
  EXPECT_EQ(report.num_steps, 1);
  EXPECT_FALSE(report.kl.has_value());
  EXPECT_NEAR(report.loss, 4.0 * std::log(2.0) - 0.75, 1e-6);
  EXPECT_THAT(policy.evaluated(), ElementsAre(0, 1));
}

}  // namespace
}  // namespace opyard::agents
