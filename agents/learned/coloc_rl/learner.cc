#include "agents/learned/coloc_rl/learner.h"

#include <string>
#include <utility>

#include "agents/learned/common/optimiser_step.h"
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
          policy_->parameters(), torch::optim::AdamOptions(options.learning_rate))),
      workers_(policy_, options.num_workers, [&sizes] {
        Rng any(0);  // the weights are copied over
        return std::make_shared<ColocRlPolicy>(sizes, any);
      }) {}

std::optional<JudgedSamples> ColocRlLearner::Sample(const ColocRlView& view,
                                                    std::int64_t num_samples,
                                                    env::Evaluator& evaluator,
                                                    Rng& rng) {
  SampledPlacements drawn = workers_.at_turn().Sample(view.features, num_samples, rng);
  JudgedSamples samples{.devices = std::move(drawn.devices),
                        .decisions = std::move(drawn.decisions),
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
                                   const ColocRlSchedule& schedule,
                                   RewardBaseline& baseline,
                                   Rng& rng) {
  UpdateReport report{.entropy_weight = schedule.entropy_weight};
  std::vector<double> compared = Advantages(
      samples.evaluations, view.reference_score, schedule.ignores_failures, baseline, report);
  if (options_.normalise_advantages) {
    Normalise(compared);
  }
  const torch::Tensor advantages = torch::tensor(compared, torch::kFloat);  // [K]
  if (options_.rule.algorithm == Algorithm::kPpo) {
    LearnByPpo(view, samples, advantages, rng, report);
  } else {
    LearnByReinforce(view, samples, advantages, report);
  }
  workers_.EndTurn();
  return report;
}

void ColocRlLearner::LearnByReinforce(const ColocRlView& view,
                                      const JudgedSamples& samples,
                                      const torch::Tensor& advantages,
                                      UpdateReport& report) {
  const JudgedPlacements judged = workers_.at_turn().Judge(view.features, samples.devices);
  const torch::Tensor entropy = judged.entropy.mean();  // []
  const torch::Tensor loss =                            // []
      ReinforceLoss(judged.log_probs, advantages) - report.entropy_weight * entropy;
  optimiser_->zero_grad();
  loss.backward();
  workers_.HandOverGradients();
  report.gradient_norm = StepAlongGradient(*policy_, *optimiser_, options_.clip);
  report.loss = loss.item<double>();
  report.entropy = entropy.item<double>();
}

void ColocRlLearner::LearnByPpo(const ColocRlView& view,
                                const JudgedSamples& samples,
                                const torch::Tensor& advantages,
                                Rng& rng,
                                UpdateReport& report) {
  const auto judge = [&](const torch::Tensor& share) {
    const JudgedPlacements judged =
        policy_->Judge(view.features, samples.devices.index_select(0, share));
    const torch::Tensor entropy = judged.entropy.mean();  // []
    return JudgedDecisions{
        .log_probs = judged.decision_log_probs, .entropy = entropy, .paid_for = entropy};
  };
  agents::LearnByPpo(options_.rule.ppo,
                     {.drawn = samples.decisions,
                      .advantages = advantages,
                      .judge = judge,
                      .step =
                          [&](const torch::Tensor& loss) {
                            return StepDown(loss, *policy_, *optimiser_, options_.clip);
                          }},
                     rng,
                     report);
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
