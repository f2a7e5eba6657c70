#include "agents/learned/reinforce_lstm/learner.h"

#include <utility>

#include "agents/learned/common/gradient_step.h"
#include "agents/learned/common/make_policy.h"
#include "agents/learned/common/size_table.h"
#include "agents/learned/common/weights.h"
#include "env/observation.h"

namespace opyard::agents::reinforce_lstm {
namespace {

constexpr const char* kAgent = "reinforce_lstm";

// Whether the network reads adjacency rows, whatever made it so.
SizeField<Sizes> AdjacencyRowsField() {
  return {.text = [](const Sizes& sizes) { return sizes.has_adjacency_rows() ? "1" : "0"; },
          .read =
              [](const ConfigEntry& entry, Sizes& sizes) {
                sizes.adjacency = entry.Size() != 0 ? Adjacency::kRows : Adjacency::kMeans;
              }};
}

SizeTable<Sizes> TableOfSizes() {
  return SizeTable<Sizes>({{.name = "faithful", .field = FlagField(&Sizes::faithful)},
                           {.name = "adjacency_rows", .field = AdjacencyRowsField()},
                           {.name = "memory_features", .field = FlagField(&Sizes::memory_features)},
                           {.name = "num_groups", .field = CountField(&Sizes::num_groups)},
                           {.name = "num_devices", .field = CountField(&Sizes::num_devices)},
                           {.name = "hidden", .field = CountField(&Sizes::hidden)},
                           {.name = "attention", .field = CountField(&Sizes::attention)},
                           {.name = "embedding", .field = CountField(&Sizes::embedding)},
                           {.name = "temperature", .field = NumberField(&Sizes::temperature)},
                           {.name = "tanh_constant", .field = NumberField(&Sizes::tanh_constant)}});
}

}  // namespace

Learner::Learner(const TrainingOptions& options, const Sizes& sizes, Rng& rng, torch::Device device)
    : options_(options),
      policy_(MakePolicy<Policy>(sizes, rng, device)),
      optimiser_(std::make_unique<torch::optim::Adam>(
          policy_->parameters(), torch::optim::AdamOptions(options.learning_rate))),
      workers_(policy_, options.num_workers, [&sizes, device] {
        Rng any(0);  // the weights are copied over
        return MakePolicy<Policy>(sizes, any, device);
      }) {}

std::optional<Rollout> Learner::Sample(const View& view,
                                       std::int64_t num_samples,
                                       env::Evaluator& evaluator,
                                       Rng& rng) {
  SampledPlacements sampled = workers_.at_turn().Sample(view.features, num_samples, rng);
  Rollout samples{.devices = std::move(sampled.devices),
                  .decisions = std::move(sampled.decisions),
                  .evaluations = {}};
  const torch::Tensor placements = samples.devices.to(torch::kCPU);  // [K, G]
  std::vector<torch::Tensor> rows;                                   // [G] each
  for (std::int64_t sample = 0; sample < num_samples; ++sample) {
    rows.push_back(placements[sample].contiguous());
  }
  samples.evaluations =
      evaluator.Evaluate(rows.size(), [&](std::size_t item) { return ToPlan(view, rows[item]); });
  if (std::ssize(samples.evaluations) < num_samples) {
    return std::nullopt;
  }
  return samples;
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
  LearnBy(options_.rule,
          {.sampled = samples.decisions,
           .advantages = torch::tensor(compared, samples.decisions.log_probs.options()),
           .evaluate_actions =
               [&](const torch::Tensor& plans) { return EvaluateMinibatch(view, samples, plans); },
           .gradient_step = [&](const torch::Tensor& loss) { return GradientStep(loss); }},
          rng,
          report);
  workers_.EndTurn();
  return report;
}

MinibatchEvaluation Learner::EvaluateMinibatch(const View& view,
                                               const Rollout& samples,
                                               const torch::Tensor& plans) {
  Policy& policy = options_.rule.algorithm == Algorithm::kPpo ? *policy_ : workers_.at_turn();
  const PlacementLogProbs evaluated =
      policy.EvaluateActions(view.features, samples.devices.index_select(0, plans));
  const torch::Tensor entropy = evaluated.entropy.mean();  // []
  return {.log_probs = evaluated.log_probs,
          .decision_log_probs = evaluated.decision_log_probs,
          .entropy = entropy,
          .entropy_bonus = entropy};
}

double Learner::GradientStep(const torch::Tensor& loss) {
  optimiser_->zero_grad();
  loss.backward();
  if (options_.rule.algorithm == Algorithm::kReinforce) {
    workers_.HandOverGradients();
  }
  if (!options_.learns) {
    return torch::nn::utils::clip_grad_norm_(policy_->parameters(), options_.max_grad_norm);
  }
  return ClipAndStep(*policy_, *optimiser_, options_.max_grad_norm);
}

Checkpoint Learner::ToWeights() const {
  return WeightsOf(kAgent, TableOfSizes().Write(policy_->sizes()), *policy_);
}

Checkpoint Learner::ToState() const {
  Checkpoint checkpoint = ToWeights();
  AddOptimiser(*policy_, *optimiser_, checkpoint);
  workers_.AddTo(checkpoint);
  return checkpoint;
}

void Learner::TakeWeights(const Checkpoint& found, const std::filesystem::path& path) {
  RequireMatch(found, ToWeights(), path);
  agents::TakeWeights(found, *policy_);
  workers_.CatchUp();
}

void Learner::TakeState(const Checkpoint& found, const std::filesystem::path& path) {
  agents::TakeWeights(found, *policy_);
  TakeOptimiser(found, *policy_, *optimiser_);
  workers_.TakeFrom(found, path);
}

Sizes SizesOf(const Checkpoint& weights, const std::filesystem::path& path) {
  RequireAgent(weights, kAgent, env::kFeatureVersion, path);
  return TableOfSizes().Read(weights, path);
}

}  // namespace opyard::agents::reinforce_lstm
