#include "agents/learned/coloc_rl/learner.h"

#include <utility>

#include "agents/learned/common/gradient_step.h"
#include "agents/learned/common/make_policy.h"
#include "agents/learned/common/size_table.h"
#include "agents/learned/common/weights.h"
#include "env/observation.h"

namespace opyard::agents {
namespace {

constexpr const char* kAgent = "reinforce_lstm";

// Whether the network reads adjacency rows, whatever made it so.
SizeField<ColocRlSizes> AdjacencyRowsField() {
  return {.text = [](const ColocRlSizes& sizes) { return sizes.has_adjacency_rows() ? "1" : "0"; },
          .read =
              [](const ConfigEntry& entry, ColocRlSizes& sizes) {
                sizes.adjacency = entry.Size() != 0 ? Adjacency::kRows : Adjacency::kMeans;
              }};
}

SizeTable<ColocRlSizes> TableOfSizes() {
  return SizeTable<ColocRlSizes>(
      {{.name = "faithful", .field = FlagField(&ColocRlSizes::faithful)},
       {.name = "adjacency_rows", .field = AdjacencyRowsField()},
       {.name = "memory_features", .field = FlagField(&ColocRlSizes::memory_features)},
       {.name = "num_groups", .field = CountField(&ColocRlSizes::num_groups)},
       {.name = "num_devices", .field = CountField(&ColocRlSizes::num_devices)},
       {.name = "hidden", .field = CountField(&ColocRlSizes::hidden)},
       {.name = "attention", .field = CountField(&ColocRlSizes::attention)},
       {.name = "embedding", .field = CountField(&ColocRlSizes::embedding)},
       {.name = "temperature", .field = NumberField(&ColocRlSizes::temperature)},
       {.name = "tanh_constant", .field = NumberField(&ColocRlSizes::tanh_constant)}});
}

}  // namespace

ColocRlLearner::ColocRlLearner(const ColocRlOptions& options,
                               const ColocRlSizes& sizes,
                               Rng& rng,
                               torch::Device device)
    : options_(options),
      policy_(MakePolicy<ColocRlPolicy>(sizes, rng, device)),
      optimiser_(std::make_unique<torch::optim::Adam>(
          policy_->parameters(), torch::optim::AdamOptions(options.learning_rate))),
      workers_(policy_, options.num_workers, [&sizes, device] {
        Rng any(0);  // the weights are copied over
        return MakePolicy<ColocRlPolicy>(sizes, any, device);
      }) {}

std::optional<ColocRlRollout> ColocRlLearner::Sample(const ColocRlView& view,
                                                     std::int64_t num_samples,
                                                     env::Evaluator& evaluator,
                                                     Rng& rng) {
  SampledPlacements sampled = workers_.at_turn().Sample(view.features, num_samples, rng);
  ColocRlRollout samples{.devices = std::move(sampled.devices),
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

UpdateReport ColocRlLearner::Learn(const ColocRlView& view,
                                   const ColocRlRollout& samples,
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

MinibatchEvaluation ColocRlLearner::EvaluateMinibatch(const ColocRlView& view,
                                                      const ColocRlRollout& samples,
                                                      const torch::Tensor& plans) {
  ColocRlPolicy& policy =
      options_.rule.algorithm == Algorithm::kPpo ? *policy_ : workers_.at_turn();
  const PlacementLogProbs evaluated =
      policy.EvaluateActions(view.features, samples.devices.index_select(0, plans));
  const torch::Tensor entropy = evaluated.entropy.mean();  // []
  return {.log_probs = evaluated.log_probs,
          .decision_log_probs = evaluated.decision_log_probs,
          .entropy = entropy,
          .entropy_bonus = entropy};
}

double ColocRlLearner::GradientStep(const torch::Tensor& loss) {
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

Checkpoint ColocRlLearner::ToWeights() const {
  return WeightsOf(kAgent, TableOfSizes().Write(policy_->sizes()), *policy_);
}

Checkpoint ColocRlLearner::ToState() const {
  Checkpoint checkpoint = ToWeights();
  AddOptimiser(*policy_, *optimiser_, checkpoint);
  workers_.AddTo(checkpoint);
  return checkpoint;
}

void ColocRlLearner::TakeWeights(const Checkpoint& found, const std::filesystem::path& path) {
  RequireMatch(found, ToWeights(), path);
  agents::TakeWeights(found, *policy_);
  workers_.CatchUp();
}

void ColocRlLearner::TakeState(const Checkpoint& found, const std::filesystem::path& path) {
  agents::TakeWeights(found, *policy_);
  TakeOptimiser(found, *policy_, *optimiser_);
  workers_.TakeFrom(found, path);
}

ColocRlSizes SizesOf(const Checkpoint& weights, const std::filesystem::path& path) {
  RequireAgent(weights, kAgent, env::kFeatureVersion, path);
  return TableOfSizes().Read(weights, path);
}

}  // namespace opyard::agents
