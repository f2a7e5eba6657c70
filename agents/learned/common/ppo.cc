#include "agents/learned/common/ppo.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "agents/learned/common/reinforce.h"

namespace opyard::agents {
namespace {

// Indices of plans: int64, on the device of the batch.
torch::TensorOptions IndexOptions(const LearningBatch& batch) {
  return batch.advantages.options().dtype(torch::kLong);
}

// One gradient step, whose figures are added to the sums in `report`.
void StepAndReport(const LearningBatch& batch,
                   const MinibatchEvaluation& evaluated,
                   const torch::Tensor& loss,
                   UpdateReport& report) {
  report.gradient_norm += batch.gradient_step(loss);
  report.loss += loss.item<double>();
  report.entropy += evaluated.entropy.item<double>();
  ++report.num_steps;
}

// Makes the sums in `report` means over the steps.
void DivideBySteps(UpdateReport& report) {
  const auto num_steps = static_cast<double>(report.num_steps);
  report.loss /= num_steps;
  report.entropy /= num_steps;
  report.gradient_norm /= num_steps;
}

void LearnByReinforce(const LearningBatch& batch, UpdateReport& report) {
  const MinibatchEvaluation evaluated =
      batch.evaluate_actions(torch::arange(batch.advantages.size(0), IndexOptions(batch)));
  const torch::Tensor loss =  // []
      ReinforceLoss(evaluated.log_probs, batch.advantages) -
      report.entropy_weight * evaluated.entropy_bonus;
  StepAndReport(batch, evaluated, loss, report);
}

}  // namespace

void LearnBy(const LearningRule& rule, const LearningBatch& batch, Rng& rng, UpdateReport& report) {
  if (rule.algorithm == Algorithm::kPpo) {
    LearnByPpo(rule.ppo, batch, rng, report);
  } else {
    LearnByReinforce(batch, report);
  }
}

void LearnByPpo(const PpoOptions& options,
                const LearningBatch& batch,
                Rng& rng,
                UpdateReport& report) {
  bool is_near = true;  // within `target_kl` of the policy that sampled the plans
  for (std::int64_t epoch = 0; is_near && epoch < options.n_epochs; ++epoch) {
    for (const std::vector<std::int64_t>& minibatch :
         RandomMinibatches(batch.advantages.size(0), options.num_minibatches, rng)) {
      const torch::Tensor plans = torch::tensor(minibatch, IndexOptions(batch));  // [S]
      const SampledDecisions sampled = Select(batch.sampled, plans);
      const MinibatchEvaluation evaluated = batch.evaluate_actions(plans);
      report.kl = ApproximateKl(evaluated.decision_log_probs, sampled);
      if (report.num_steps > 0 && options.target_kl > 0.0 && *report.kl > options.target_kl) {
        is_near = false;
        break;
      }
      const torch::Tensor policy_loss =  // []
          PpoLoss(evaluated.decision_log_probs,
                  sampled,
                  batch.advantages.index_select(0, plans),
                  options.clip_range);
      const torch::Tensor loss =  // []
          policy_loss - report.entropy_weight * evaluated.entropy_bonus;
      StepAndReport(batch, evaluated, loss, report);
    }
  }
  DivideBySteps(report);
}

std::vector<std::vector<std::int64_t>> RandomMinibatches(std::int64_t num_plans,
                                                         std::int64_t num_minibatches,
                                                         Rng& rng) {
  std::vector<std::int64_t> plans(static_cast<std::size_t>(num_plans));
  std::iota(plans.begin(), plans.end(), 0);
  rng.Shuffle(std::span(plans));
  std::vector<std::vector<std::int64_t>> minibatches(
      static_cast<std::size_t>(std::min(num_minibatches, num_plans)));
  for (std::size_t i = 0; i < plans.size(); ++i) {
    minibatches[i % minibatches.size()].push_back(plans[i]);
  }
  return minibatches;
}

double ApproximateKl(const torch::Tensor& log_probs, const SampledDecisions& sampled) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor log_ratios =  // [decisions that count]
      (log_probs - sampled.log_probs).masked_select(sampled.has_choice).to(torch::kDouble);
  if (log_ratios.numel() == 0) {
    return 0.0;
  }
  return (torch::expm1(log_ratios) - log_ratios).mean().item<double>();
}

torch::Tensor PpoLoss(const torch::Tensor& log_probs,
                      const SampledDecisions& sampled,
                      const torch::Tensor& advantages,
                      double clip_range) {
  const torch::Tensor ratios = (log_probs - sampled.log_probs).exp();  // [K, N]
  const torch::Tensor decision_advantages =                            // [K, 1] or [K, N]
      advantages.dim() == 1 ? advantages.unsqueeze(1) : advantages;
  const torch::Tensor clipped_ratios = ratios.clamp(1.0 - clip_range, 1.0 + clip_range);
  const torch::Tensor surrogate =  // [K, N]
      torch::minimum(ratios * decision_advantages, clipped_ratios * decision_advantages);
  return -(surrogate * sampled.has_choice).sum(1).mean();
}

torch::Tensor HasChoice(const torch::Tensor& mask) {
  return mask.sum(-1) > 1;
}

SampledDecisions Select(const SampledDecisions& sampled, const torch::Tensor& plans) {
  return {.log_probs = sampled.log_probs.index_select(0, plans),
          .has_choice = sampled.has_choice.index_select(0, plans)};
}

}  // namespace opyard::agents
