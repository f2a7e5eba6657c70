#include "agents/learned/common/ppo.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "agents/learned/common/reinforce.h"

namespace opyard::agents {
namespace {

// Of the numbers of samples: int64, where the batch lies.
torch::TensorOptions IndexOptions(const LearningBatch& batch) {
  return batch.advantages.options().dtype(torch::kLong);
}

// Makes one step, and adds what it saw to the sums in `report`.
void MakeStep(const LearningBatch& batch,
              const JudgedShare& judged,
              const torch::Tensor& loss,
              UpdateReport& report) {
  report.gradient_norm += batch.step(loss);
  report.loss += loss.item<double>();
  report.entropy += judged.entropy.item<double>();
  ++report.num_steps;
}

void DivideBySteps(UpdateReport& report) {
  const auto num_steps = static_cast<double>(report.num_steps);
  report.loss /= num_steps;
  report.entropy /= num_steps;
  report.gradient_norm /= num_steps;
}

// The steps of one epoch. False if one of them was not made, for the policy had gone too far.
bool LearnForAnEpoch(const PpoOptions& options,
                     const LearningBatch& batch,
                     Rng& rng,
                     UpdateReport& report) {
  for (const std::vector<std::int64_t>& share :
       DealShares(batch.advantages.size(0), options.shares, rng)) {
    const torch::Tensor samples = torch::tensor(share, IndexOptions(batch));  // [S]
    const DrawnDecisions drawn = Select(batch.drawn, samples);
    const JudgedShare judged = batch.judge(samples);
    report.kl = ApproximateKl(judged.decision_log_probs, drawn);
    if (report.num_steps > 0 && options.kl_stop > 0.0 && *report.kl > options.kl_stop) {
      return false;
    }
    const torch::Tensor loss =  // []
        PpoLoss(judged.decision_log_probs,
                drawn,
                batch.advantages.index_select(0, samples),
                options.clip_ratio) -
        report.entropy_weight * judged.paid_for;
    MakeStep(batch, judged, loss, report);
  }
  return true;
}

void LearnByReinforce(const LearningBatch& batch, UpdateReport& report) {
  const JudgedShare judged =
      batch.judge(torch::arange(batch.advantages.size(0), IndexOptions(batch)));
  const torch::Tensor loss =  // []
      ReinforceLoss(judged.log_probs, batch.advantages) - report.entropy_weight * judged.paid_for;
  MakeStep(batch, judged, loss, report);
}

}  // namespace

torch::Tensor HasChoice(const torch::Tensor& mask) {
  return mask.sum(-1) > 1;
}

DrawnDecisions Select(const DrawnDecisions& drawn, const torch::Tensor& samples) {
  return {.log_probs = drawn.log_probs.index_select(0, samples),
          .has_choice = drawn.has_choice.index_select(0, samples)};
}

torch::Tensor PpoLoss(const torch::Tensor& log_probs,
                      const DrawnDecisions& drawn,
                      const torch::Tensor& advantages,
                      double clip_ratio) {
  const torch::Tensor ratios = (log_probs - drawn.log_probs).exp();  // [K, N]
  const torch::Tensor of_decisions =                                 // [K, 1] or [K, N]
      advantages.dim() == 1 ? advantages.unsqueeze(1) : advantages;
  const torch::Tensor gained =  // [K, N]
      torch::minimum(ratios * of_decisions,
                     ratios.clamp(1.0 - clip_ratio, 1.0 + clip_ratio) * of_decisions);
  return -(gained * drawn.has_choice).sum(1).mean();
}

double ApproximateKl(const torch::Tensor& log_probs, const DrawnDecisions& drawn) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor gone =  // [decisions that count]
      (log_probs - drawn.log_probs).masked_select(drawn.has_choice).to(torch::kDouble);
  if (gone.numel() == 0) {
    return 0.0;
  }
  return (torch::expm1(gone) - gone).mean().item<double>();
}

std::vector<std::vector<std::int64_t>> DealShares(std::int64_t num_samples,
                                                  std::int64_t num_shares,
                                                  Rng& rng) {
  std::vector<std::int64_t> samples(static_cast<std::size_t>(num_samples));
  std::iota(samples.begin(), samples.end(), 0);
  rng.Shuffle(std::span(samples));
  std::vector<std::vector<std::int64_t>> shares(
      static_cast<std::size_t>(std::min(num_shares, num_samples)));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    shares[i % shares.size()].push_back(samples[i]);
  }
  return shares;
}

void LearnByPpo(const PpoOptions& options,
                const LearningBatch& batch,
                Rng& rng,
                UpdateReport& report) {
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    if (!LearnForAnEpoch(options, batch, rng, report)) {
      break;
    }
  }
  DivideBySteps(report);
}

void LearnBy(const LearningRule& rule, const LearningBatch& batch, Rng& rng, UpdateReport& report) {
  if (rule.algorithm == Algorithm::kPpo) {
    LearnByPpo(rule.ppo, batch, rng, report);
  } else {
    LearnByReinforce(batch, report);
  }
}

}  // namespace opyard::agents
