#include "agents/learned/placeto/learner.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agents/learned/common/make_policy.h"
#include "agents/learned/common/gradient_step.h"
#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/weights.h"
#include "env/observation.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

constexpr const char* kAgent = "placeto";
constexpr const char* kPublished = "published";
// Nodes of all states that a backward pass takes at once, so that long episodes fit into memory:
// about 30 MB at a width of 16.
constexpr std::int64_t kMostRows = 8192;

std::map<std::string, std::string> ConfigOf(const PlacetoSizes& sizes) {
  std::map<std::string, std::string> config = {
      {"faithful", sizes.faithful ? "1" : "0"},
      {"num_devices", std::to_string(sizes.num_devices)},
      {"width", std::to_string(sizes.width)},
      {"rounds", std::to_string(sizes.rounds)},
      {"aggregation", std::to_string(static_cast<int>(sizes.aggregation))},
      {"moves", std::to_string(sizes.moves)}};
  if (sizes.layers == PlacetoLayers::kPublished) {
    config["layers"] = kPublished;
  }
  return config;
}

}  // namespace

PlacetoLearner::PlacetoLearner(const PlacetoOptions& options,
                               const PlacetoSizes& sizes,
                               Rng& rng,
                               torch::Device device)
    : options_(options),
      policy_(MakePolicy<PlacetoPolicy>(sizes, rng, device)),
      optimiser_(std::make_unique<torch::optim::Adam>(
          policy_->parameters(), torch::optim::AdamOptions(options.learning_rate))) {}

PlacetoLoss PlacetoLearner::ComputeGradient(const PlacetoView& view,
                                            const Episode& episode,
                                            const std::vector<double>& advantages,
                                            double entropy_weight) {
  policy_->zero_grad();
  return AddGradient(view, episode, advantages, entropy_weight, 1.0);
}

PlacetoLoss PlacetoLearner::AddGradient(const PlacetoView& view,
                                        const Episode& episode,
                                        const std::vector<double>& advantages,
                                        double entropy_weight,
                                        double factor) {
  const torch::Tensor weights = torch::tensor(advantages).to(episode.states.options());  // [T]
  const std::int64_t num_steps = std::ssize(episode.nodes);
  const std::int64_t steps_at_once =
      std::max<std::int64_t>(kMostRows / view.sequence.num_groups, 1);
  PlacetoLoss total;
  for (std::int64_t first = 0; first < num_steps; first += steps_at_once) {
    const std::int64_t end = std::min(first + steps_at_once, num_steps);
    const std::vector<std::int64_t> nodes(episode.nodes.begin() + first,
                                          episode.nodes.begin() + end);
    const torch::Tensor choices =  // [steps, D]
        policy_->LogProbs(policy_->PolicyInputOf(view), episode.states.slice(0, first, end), nodes);
    const torch::Tensor chosen =  // [steps]
        choices.gather(1, episode.devices.slice(0, first, end).unsqueeze(1)).squeeze(1);
    const torch::Tensor entropy = Entropy(choices).mean();  // []
    const double share = static_cast<double>(end - first) / static_cast<double>(num_steps);
    const double scale = factor * (options_.adds_steps ? static_cast<double>(num_steps) : 1.0);
    const torch::Tensor loss =  // []
        scale * share *
        (ReinforceLoss(chosen, weights.slice(0, first, end)) - entropy_weight * entropy);
    loss.backward();
    total.loss += loss.item<double>();
    total.entropy += share * entropy.item<double>();
  }
  return total;
}

UpdateReport PlacetoLearner::Learn(const PlacetoView& view,
                                   std::span<const Episode> episodes,
                                   const PlacetoSchedule& schedule,
                                   StepBaseline& baseline) {
  UpdateReport report{.entropy_weight = schedule.entropy_weight,
                      .num_steps = options_.learns ? 1 : 0};
  const double share = 1.0 / static_cast<double>(episodes.size());
  std::vector<std::vector<double>> all_returns;
  policy_->zero_grad();
  for (const Episode& episode : episodes) {
    const std::vector<double> returns = DiscountedReturns(episode.rewards, options_.discount);
    const std::vector<double> advantages = baseline.Advantages(returns);
    if (!baseline.episodes().empty()) {
      report.baseline = returns.front() - advantages.front();
    }
    const PlacetoLoss loss = AddGradient(
        view, episode, advantages, schedule.entropy_weight, options_.adds_steps ? 1.0 : share);
    report.loss += loss.loss;
    report.entropy += share * loss.entropy;
    report.num_completed += episode.num_completed;
    report.rewards.insert(report.rewards.end(), episode.rewards.begin(), episode.rewards.end());
    all_returns.push_back(returns);
  }
  for (std::vector<double>& returns : all_returns) {
    baseline.Add(std::move(returns));
  }
  report.gradient_norm =
      torch::nn::utils::clip_grad_norm_(policy_->parameters(), options_.max_grad_norm);
  if (options_.learns) {
    SetLearningRate(*optimiser_, schedule.learning_rate);
    optimiser_->step();
  }
  return report;
}

Checkpoint PlacetoLearner::ToWeights() const {
  return WeightsOf(kAgent, ConfigOf(policy_->sizes()), *policy_);
}

Checkpoint PlacetoLearner::ToState() const {
  Checkpoint checkpoint = ToWeights();
  AddOptimiser(*policy_, *optimiser_, checkpoint);
  return checkpoint;
}

void PlacetoLearner::TakeWeights(const Checkpoint& found, const std::filesystem::path& path) {
  RequireMatch(found, ToWeights(), path);
  agents::TakeWeights(found, *policy_);
}

void PlacetoLearner::TakeState(const Checkpoint& found) {
  agents::TakeWeights(found, *policy_);
  TakeOptimiser(found, *policy_, *optimiser_);
}

PlacetoSizes PlacetoSizesOf(const Checkpoint& weights, const std::filesystem::path& path) {
  RequireAgent(weights, kAgent, env::kFeatureVersion, path);
  const auto number =
      [&](const std::string& name, double least, double most, const std::string& range) {
        const std::string& text = TextOf(weights, name, path);
        const double value = std::strtod(text.c_str(), nullptr);
        if (!(value >= least && value <= most)) {
          throw InputError(path.string() + ": config " + name + ": found " + text + ", expected " +
                           range);
        }
        return value;
      };
  const auto count = [&](const std::string& name, std::int64_t least, std::int64_t most) {
    return static_cast<std::int64_t>(number(name,
                                            static_cast<double>(least),
                                            static_cast<double>(most),
                                            std::to_string(least) + " to " + std::to_string(most)));
  };
  constexpr std::int64_t kMost = 1 << 16;
  const std::int64_t faithful = count("faithful", 0, 1);
  const auto layers = weights.config.find("layers");
  const bool is_published = layers != weights.config.end() && layers->second == kPublished;
  return {.layers = is_published ? PlacetoLayers::kPublished : PlacetoLayers::kCompact,
          .faithful = faithful != 0,
          .num_devices = count("num_devices", faithful, kMost),
          .width = count("width", 1, kMost),
          .rounds = count("rounds", 0, kMost),
          .aggregation = static_cast<Aggregation>(count("aggregation", 0, 2)),
          .moves = number("moves", 0.0, kMostMoves, "0 to 1000000")};
}

}  // namespace opyard::agents
