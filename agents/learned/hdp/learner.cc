#include "agents/learned/hdp/learner.h"

#include <cmath>

#include "agents/learned/common/gradient_step.h"
#include "agents/learned/common/make_policy.h"
#include "agents/learned/common/size_table.h"
#include "agents/learned/common/weights.h"
#include "env/observation.h"

namespace opyard::agents::hdp {
namespace {

constexpr const char* kAgent = "hdp";

// The sizes that a file of weights has. The number of units of a random grouper is replaced by that
// of the problem at hand.
SizeTable<Sizes> TableOfSizes() {
  return SizeTable<Sizes>(
      {{.name = "faithful", .field = EitherField(&Sizes::faithful, false, true)},
       {.name = "random_groups",
        .field = EitherField(&Sizes::grouper, GrouperKind::kLearned, GrouperKind::kRandom)},
       {.name = "flat",
        .field = EitherField(&Sizes::placer, PlacerKind::kSequence, PlacerKind::kFlat)},
       {.name = "attention", .field = EitherField(&Sizes::attention, false, true)},
       {.name = "num_groups", .field = CountField(&Sizes::num_groups)},
       {.name = "num_devices", .field = CountField(&Sizes::num_devices)},
       {.name = "num_units", .field = WrittenAlone(CountField(&Sizes::num_units))},
       {.name = "grouper_hidden", .field = CountField(&Sizes::grouper_hidden)},
       {.name = "grouper_temperature", .field = NumberField(&Sizes::grouper_temperature)},
       {.name = "hidden", .field = CountField(&Sizes::hidden)},
       {.name = "embedding", .field = CountField(&Sizes::embedding)},
       {.name = "temperature", .field = NumberField(&Sizes::temperature)},
       {.name = "tanh_constant", .field = NumberField(&Sizes::tanh_constant)}});
}

}  // namespace

Learner::Learner(const TrainingOptions& options, const Sizes& sizes, Rng& rng, torch::Device device)
    : options_(options),
      policy_(MakePolicy<Policy>(sizes, rng, device)),
      optimiser_(std::make_unique<torch::optim::Adam>(
          policy_->parameters(), torch::optim::AdamOptions(options.step_size.start))) {}

std::optional<Rollout> Learner::Sample(const View& view,
                                       std::int64_t num_samples,
                                       env::Evaluator& evaluator,
                                       Rng& rng,
                                       const Sampling& sampling) {
  Rollout samples{.plans = policy_->Sample(view.features, num_samples, rng, sampling),
                  .device_of_unit = {},
                  .evaluations = {}};
  samples.device_of_unit =
      DevicesOfUnits(view.features, samples.plans.groups, samples.plans.devices)
          .to(torch::kCPU)
          .contiguous();
  samples.evaluations =
      evaluator.Evaluate(static_cast<std::size_t>(num_samples), [&](std::size_t item) {
        return ToPlan(view, samples.device_of_unit[static_cast<std::int64_t>(item)]);
      });
  if (std::ssize(samples.evaluations) < num_samples) {
    return std::nullopt;
  }
  last_devices_ = samples.plans.devices;
  return samples;
}

Sampling Learner::SamplingAt(std::int64_t num_updates, std::int64_t num_samples) const {
  Sampling sampling;
  if (num_updates < options_.noise.num_updates) {
    sampling.noise_std = options_.noise.relative_std;
  }
  if (options_.stop_sampling > 0 && num_updates >= options_.stop_sampling) {
    sampling.replayed = last_devices_.slice(0, 0, num_samples);
  }
  return sampling;
}

UpdateReport Learner::Learn(const View& view,
                            const Rollout& samples,
                            const PolicyUpdate& update,
                            RewardBaseline& baseline,
                            Rng& rng) {
  UpdateReport report{.entropy_weight = update.entropy_weight};
  std::vector<double> compared = Advantages(samples.evaluations,
                                            view.reference_score,
                                            options_.baseline,
                                            update.num_updates,
                                            baseline,
                                            report);
  if (options_.normalise_advantages) {
    Normalise(compared);
  }
  SetLearningRate(*optimiser_, StepSizeAt(options_.step_size, update.num_updates));
  LearnBy(options_.rule,
          {.sampled = samples.plans.decisions,
           .advantages = torch::tensor(compared, samples.plans.log_probs.options()),
           .evaluate_actions =
               [&](const torch::Tensor& plans) { return EvaluateMinibatch(view, samples, plans); },
           .gradient_step = [&](const torch::Tensor& loss) { return GradientStep(loss); }},
          rng,
          report);
  return report;
}

double Learner::GradientStep(const torch::Tensor& loss) {
  if (options_.learns) {
    return agents::GradientStep(loss, *policy_, *optimiser_, options_.max_grad_norm);
  }
  optimiser_->zero_grad();
  loss.backward();
  return torch::nn::utils::clip_grad_norm_(policy_->parameters(), options_.max_grad_norm);
}

MinibatchEvaluation Learner::EvaluateMinibatch(const View& view,
                                               const Rollout& samples,
                                               const torch::Tensor& plans) {
  const PlanLogProbs evaluated =
      policy_->EvaluateActions(view.features,
                               samples.plans.groups.index_select(0, plans),
                               samples.plans.devices.index_select(0, plans),
                               Select(samples.plans.noise, plans));
  return {.log_probs = evaluated.log_probs,
          .decision_log_probs = evaluated.decision_log_probs,
          .entropy = evaluated.entropy,
          .entropy_bonus = evaluated.entropy + evaluated.group_entropy};
}

Checkpoint Learner::ToWeights() const {
  return WeightsOf(kAgent, TableOfSizes().Write(policy_->sizes()), *policy_);
}

void Learner::TakeWeights(const Checkpoint& found, const std::filesystem::path& path) {
  RequireMatch(found, ToWeights(), path);
  agents::TakeWeights(found, *policy_);
}

double StepSizeAt(const StepSize& step_size, std::int64_t num_updates) {
  if (num_updates < step_size.first_update) {
    return step_size.start;
  }
  const std::int64_t num_steps = (num_updates - step_size.first_update) / step_size.num_updates;
  return step_size.start * std::pow(step_size.factor, static_cast<double>(num_steps));
}

Sizes SizesOf(const Checkpoint& weights, const std::filesystem::path& path) {
  RequireAgent(weights, kAgent, env::kFeatureVersion, path);
  return TableOfSizes().Read(weights, path);
}

}  // namespace opyard::agents::hdp
