#include "agents/learned/coloc_rl/learner.h"

#include <string>

#include "agents/learned/common/weights.h"
#include "env/observation.h"

namespace opyard::agents {
namespace {

constexpr const char* kAgent = "reinforce_lstm";

std::map<std::string, std::string> ConfigOf(const ColocRlSizes& sizes) {
  return {{"faithful", sizes.faithful ? "1" : "0"},
          {"memory_features", sizes.memory_features ? "1" : "0"},
          {"num_groups", std::to_string(sizes.num_groups)},
          {"num_devices", std::to_string(sizes.num_devices)},
          {"hidden", std::to_string(sizes.hidden)},
          {"attention", std::to_string(sizes.attention)},
          {"embedding", std::to_string(sizes.embedding)},
          {"temperature", ExactText(sizes.temperature)},
          {"tanh_constant", ExactText(sizes.tanh_constant)}};
}

}  // namespace

ColocRlLearner::ColocRlLearner(const ColocRlOptions& options, const ColocRlSizes& sizes, Rng& rng)
    : options_(options),
      policy_(std::make_shared<ColocRlPolicy>(sizes, rng)),
      optimiser_(std::make_unique<torch::optim::Adam>(
          policy_->parameters(), torch::optim::AdamOptions(options.learning_rate))) {}

std::optional<JudgedSamples> ColocRlLearner::Sample(const ColocRlView& view,
                                                    std::int64_t num_samples,
                                                    env::Evaluator& evaluator,
                                                    Rng& rng) {
  JudgedSamples samples{.devices = policy_->Sample(view.features, num_samples, rng).devices,
                        .evaluations = {}};
  std::vector<torch::Tensor> rows;  // [G] each
  for (std::int64_t sample = 0; sample < num_samples; ++sample) {
    rows.push_back(samples.devices[sample].contiguous());
  }
  samples.evaluations =
      evaluator.Evaluate(rows.size(), [&](std::size_t item) { return ToPlan(view, rows[item]); });
  if (std::ssize(samples.evaluations) < num_samples) {
    return std::nullopt;
  }
  return samples;
}

UpdateReport ColocRlLearner::Learn(const ColocRlView& view,
                                   const JudgedSamples& samples,
                                   double entropy_weight,
                                   bool ignores_failures,
                                   RewardBaseline& baseline) {
  UpdateReport report{.entropy_weight = entropy_weight};
  std::vector<double> compared =
      Advantages(samples.evaluations, view.reference_score, ignores_failures, baseline, report);
  if (options_.normalise_advantages) {
    Normalise(compared);
  }
  const torch::Tensor advantages = torch::tensor(compared, torch::kFloat);  // [K]
  const JudgedPlacements judged = policy_->Judge(view.features, samples.devices);
  const torch::Tensor loss =
      ReinforceLoss(judged.log_probs, advantages) - entropy_weight * judged.entropy.mean();  // []
  optimiser_->zero_grad();
  loss.backward();
  report.gradient_norm = torch::nn::utils::clip_grad_norm_(policy_->parameters(), options_.clip);
  optimiser_->step();
  report.loss = loss.item<double>();
  report.entropy = judged.entropy.mean().item<double>();
  return report;
}

Checkpoint ColocRlLearner::ToWeights() const {
  Checkpoint checkpoint{.agent = kAgent,
                        .feature_version = env::kFeatureVersion,
                        .config = ConfigOf(policy_->sizes()),
                        .record = {},
                        .tensors = {}};
  AddWeights(*policy_, checkpoint);
  return checkpoint;
}

Checkpoint ColocRlLearner::ToState() const {
  Checkpoint checkpoint = ToWeights();
  AddOptimiser(*policy_, *optimiser_, checkpoint);
  return checkpoint;
}

void ColocRlLearner::TakeWeights(const Checkpoint& found, const std::filesystem::path& path) {
  RequireMatch(found, ToWeights(), path);
  agents::TakeWeights(found, *policy_);
}

void ColocRlLearner::TakeState(const Checkpoint& found) {
  agents::TakeWeights(found, *policy_);
  TakeOptimiser(found, *policy_, *optimiser_);
}

ColocRlSizes SizesOf(const Checkpoint& weights, const std::filesystem::path& path) {
  RequireAgent(weights, kAgent, env::kFeatureVersion, path);
  const auto number = [&](const std::string& name) { return NumberOf(weights, name, path); };
  const auto count = [&](const std::string& name) { return SizeOf(weights, name, path); };
  return {.faithful = count("faithful") != 0,
          .memory_features = count("memory_features") != 0,
          .num_groups = count("num_groups"),
          .num_devices = count("num_devices"),
          .hidden = count("hidden"),
          .attention = count("attention"),
          .embedding = count("embedding"),
          .temperature = number("temperature"),
          .tanh_constant = number("tanh_constant")};
}

}  // namespace opyard::agents
