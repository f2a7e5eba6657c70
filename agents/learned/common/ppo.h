// Proximal policy optimisation (Schulman et al. 2017): several epochs of gradient steps on the
// plans of one update, while the policy stays near the one that sampled them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/common/learning_rule.h"
#include "agents/learned/common/update_report.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// K sampled plans of N decisions each, with their log-probabilities when they were sampled.
struct SampledDecisions {
  torch::Tensor log_probs;   // [K, N]
  torch::Tensor has_choice;  // [K, N] bool; a decision without a choice counts nowhere
};

// The current policy on a minibatch of S of those plans, with gradients.
struct MinibatchEvaluation {
  torch::Tensor log_probs;           // [S]: of whole plans
  torch::Tensor decision_log_probs;  // [S, N]
  torch::Tensor entropy;             // []: mean of a decision, nats; reported
  torch::Tensor entropy_bonus;       // []: the entropy that the loss has with its weight
};

// The plans of one update, and the policy that learns from them. All tensors lie on one device.
struct LearningBatch {
  SampledDecisions sampled;
  torch::Tensor advantages;  // [K] or, by PPO, [K, N]
  // The plans of a minibatch, int64 [S].
  std::function<MinibatchEvaluation(const torch::Tensor& plans)> evaluate_actions;
  // One gradient step; returns the norm of the gradient before it was cut.
  std::function<double(const torch::Tensor& loss)> gradient_step;
};

// One update by `rule`: LearnByPpo, or one step by REINFORCE on all plans, which needs no random
// numbers.
void LearnBy(const LearningRule& rule, const LearningBatch& batch, Rng& rng, UpdateReport& report);

// One update: n_epochs × num_minibatches gradient steps at most. The KL divergence is estimated on
// each minibatch before its step; one beyond `target_kl` (itself, not 1.5 times it as in
// Stable-Baselines3) ends the update without that step. The first step is always made. `report`
// gets the means over the steps and gives the weight of the entropy bonus.
void LearnByPpo(const PpoOptions& options,
                const LearningBatch& batch,
                Rng& rng,
                UpdateReport& report);

// The numbers below `num_plans` in random order, in minibatches whose sizes differ by one at most:
// each number is in one of them, and none is empty, so that there may be fewer than
// `num_minibatches`. REQUIRES: num_minibatches > 0.
[[nodiscard]] std::vector<std::vector<std::int64_t>> RandomMinibatches(std::int64_t num_plans,
                                                                       std::int64_t num_minibatches,
                                                                       Rng& rng);

// The mean over the decisions of (ρ − 1) − ln ρ, nats: an estimate of KL(sampled ‖ now) that is
// never negative (k3 of J. Schulman, "Approximating KL Divergence", 2020). 0 if none has a choice.
[[nodiscard]] double ApproximateKl(const torch::Tensor& log_probs, const SampledDecisions& sampled);

// The clipped surrogate loss, eq. 7: − mean over the plans of Σ over their decisions of
// min(ρ A, clip(ρ, 1 − c, 1 + c) A). Each decision has a ratio ρ = p now / p when sampled, and c is
// `clip_range`. (The ratio of a whole plan of hundreds of decisions leaves [1 − c, 1 + c] at the
// first small step.) `log_probs` are [K, N], `advantages` [K], of the plans, or [K, N]; the loss is
// [].
//
// Deviation from Stable-Baselines3: decisions are added up, not averaged, so that the gradient at
// ρ = 1 is ReinforceLoss's, and step sizes, the weight of the entropy and `max_grad_norm` mean the
// same under both.
[[nodiscard]] torch::Tensor PpoLoss(const torch::Tensor& log_probs,
                                    const SampledDecisions& sampled,
                                    const torch::Tensor& advantages,
                                    double clip_range);

// Where `mask` (bool, [..., D]) allows more than one of D choices: [...].
[[nodiscard]] torch::Tensor HasChoice(const torch::Tensor& mask);

// The plans `plans`, int64 [S].
[[nodiscard]] SampledDecisions Select(const SampledDecisions& sampled, const torch::Tensor& plans);

}  // namespace opyard::agents
