// Proximal policy optimisation (Schulman et al. 2017): several steps on one batch of plans, while
// each decision stays near what the policy that drew it would have decided.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/common/learning_rule.h"
#include "agents/learned/common/update_report.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// What a policy drew: K samples of N decisions, stored when they were drawn, never drawn again.
struct DrawnDecisions {
  torch::Tensor log_probs;   // [K, N]
  torch::Tensor has_choice;  // [K, N] bool; a decision without a choice counts nowhere
};

// Some of those samples, S of them, as the policy sees them now: with gradients.
struct JudgedShare {
  torch::Tensor log_probs;           // [S]: of the whole plans
  torch::Tensor decision_log_probs;  // [S, N]
  torch::Tensor entropy;             // []: that is reported, mean of a decision, nats
  torch::Tensor paid_for;            // []: the entropy that the update pays for
};

// One batch, and who learns from it. All tensors lie on one device.
struct LearningBatch {
  DrawnDecisions drawn;
  torch::Tensor advantages;                                        // [K] or, by PPO, [K, N]
  std::function<JudgedShare(const torch::Tensor& samples)> judge;  // of int64 [S]
  std::function<double(const torch::Tensor& loss)> step;           // norm of its gradient
};

// Where `mask` (bool, [..., D]) allows more than one of D choices: [...].
[[nodiscard]] torch::Tensor HasChoice(const torch::Tensor& mask);

// The samples `samples`, int64 [S].
[[nodiscard]] DrawnDecisions Select(const DrawnDecisions& drawn, const torch::Tensor& samples);

// − mean over the samples of Σ over their decisions of min(ρ A, clip(ρ, 1 − c, 1 + c) A): eq. 7,
// with a ratio ρ = p now / p when drawn for each decision. (The product over a plan of hundreds
// leaves [1 − c, 1 + c] at the first small step.) `log_probs` are [K, N], `advantages` [K], of the
// plans, or [K, N]; the loss is [].
//
// Decisions are added up, not averaged, so that the gradient at ρ = 1 is ReinforceLoss's: step
// sizes, the weight of the entropy and the clip of the gradient mean the same under both.
[[nodiscard]] torch::Tensor PpoLoss(const torch::Tensor& log_probs,
                                    const DrawnDecisions& drawn,
                                    const torch::Tensor& advantages,
                                    double clip_ratio);

// The mean over the decisions of (ρ − 1) − ln ρ, nats: an estimate of KL(drawn ‖ now) that is never
// negative (k3 of J. Schulman, "Approximating KL Divergence", 2020). 0 if none has a choice.
[[nodiscard]] double ApproximateKl(const torch::Tensor& log_probs, const DrawnDecisions& drawn);

// The numbers below `num_samples` in random order, dealt into shares whose sizes differ by one at
// most: each number is in one of them, and none is empty, so that there may be fewer than
// `num_shares`. REQUIRES: num_shares > 0.
[[nodiscard]] std::vector<std::vector<std::int64_t>> DealShares(std::int64_t num_samples,
                                                                std::int64_t num_shares,
                                                                Rng& rng);

// epochs × shares steps at most. The KL divergence is estimated for each share before its step;
// one that is beyond `kl_stop` ends the update without that step. The first step is always made.
// `report` gets the means over the steps, whose entropy's weight it says. `rng` deals the shares.
void LearnByPpo(const PpoOptions& options,
                const LearningBatch& batch,
                Rng& rng,
                UpdateReport& report);

// One update by `rule`: LearnByPpo, or one step by REINFORCE on all samples, which deals nothing.
void LearnBy(const LearningRule& rule, const LearningBatch& batch, Rng& rng, UpdateReport& report);

}  // namespace opyard::agents
