#include "agents/learned/placeto/learner.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/learned/common/gradient_step.h"
#include "agents/learned/common/make_policy.h"
#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/size_table.h"
#include "agents/learned/common/weights.h"
#include "env/observation.h"

namespace opyard::agents::placeto {
namespace {

constexpr const char* kAgent = "placeto";
constexpr const char* kPublished = "published";
constexpr std::int64_t kMostSize = 1 << 16;
// Nodes of all states that a backward pass takes at once, so that long episodes fit into memory:
// about 30 MB at a width of 16.
constexpr std::int64_t kMostRows = 8192;

// Files of before this choice say nothing.
SizeField<Sizes> LayersField() {
  return {.text = [](const Sizes& sizes) -> std::optional<std::string> {
            return sizes.layers == Layers::kPublished ? std::optional(kPublished) : std::nullopt;
          },
          .read =
              [](const ConfigEntry& entry, Sizes& sizes) {
                sizes.layers = entry.exists() && entry.Text() == kPublished ? Layers::kPublished
                                                                            : Layers::kCompact;
              }};
}

SizeField<Sizes> FaithfulField() {
  return {.text = FlagField(&Sizes::faithful).text,
          .read = [](const ConfigEntry& entry, Sizes& sizes) {
            sizes.faithful = entry.SizeIn(0, 1) != 0;
          }};
}

// A faithful network has a device at least. It is read after `faithful`.
SizeField<Sizes> NumDevicesField() {
  return {.text = CountField(&Sizes::num_devices).text,
          .read = [](const ConfigEntry& entry, Sizes& sizes) {
            sizes.num_devices = entry.SizeIn(sizes.faithful ? 1 : 0, kMostSize);
          }};
}

SizeField<Sizes> AggregationField() {
  return {.text = WordField(&Sizes::aggregation).text,
          .read = [](const ConfigEntry& entry, Sizes& sizes) {
            sizes.aggregation = static_cast<Aggregation>(entry.SizeIn(0, 2));
          }};
}

// To six decimals.
SizeField<Sizes> MovesField() {
  return {
      .text = [](const Sizes& sizes) { return std::to_string(sizes.moves); },
      .read = [](const ConfigEntry& entry,
                 Sizes& sizes) { sizes.moves = entry.NumberIn(0.0, kMostMoves, "0 to 1000000"); }};
}

SizeTable<Sizes> TableOfSizes() {
  return SizeTable<Sizes>({{.name = "faithful", .field = FaithfulField()},
                           {.name = "layers", .field = LayersField()},
                           {.name = "num_devices", .field = NumDevicesField()},
                           {.name = "width", .field = CountField(&Sizes::width, 1, kMostSize)},
                           {.name = "rounds", .field = CountField(&Sizes::rounds, 0, kMostSize)},
                           {.name = "aggregation", .field = AggregationField()},
                           {.name = "moves", .field = MovesField()}});
}

}  // namespace

Learner::Learner(const TrainingOptions& options, const Sizes& sizes, Rng& rng, torch::Device device)
    : options_(options),
      policy_(MakePolicy<Policy>(sizes, rng, device)),
      optimiser_(std::make_unique<torch::optim::Adam>(
          policy_->parameters(), torch::optim::AdamOptions(options.learning_rate))) {}

Loss Learner::ComputeGradient(const View& view,
                              const Episode& episode,
                              const std::vector<double>& advantages,
                              double entropy_weight) {
  policy_->zero_grad();
  return AddGradient(view, episode, advantages, entropy_weight, 1.0);
}

Loss Learner::AddGradient(const View& view,
                          const Episode& episode,
                          const std::vector<double>& advantages,
                          double entropy_weight,
                          double factor) {
  const torch::Tensor weights = torch::tensor(advantages).to(episode.states.options());  // [T]
  const std::int64_t num_steps = std::ssize(episode.nodes);
  const std::int64_t steps_at_once =
      std::max<std::int64_t>(kMostRows / view.sequence.num_groups, 1);
  Loss total;
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

UpdateReport Learner::Learn(const View& view,
                            std::span<const Episode> episodes,
                            const Schedule& schedule,
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
    const Loss loss = AddGradient(
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

Checkpoint Learner::ToWeights() const {
  return WeightsOf(kAgent, TableOfSizes().Write(policy_->sizes()), *policy_);
}

Checkpoint Learner::ToState() const {
  Checkpoint checkpoint = ToWeights();
  AddOptimiser(*policy_, *optimiser_, checkpoint);
  return checkpoint;
}

void Learner::TakeWeights(const Checkpoint& found, const std::filesystem::path& path) {
  RequireMatch(found, ToWeights(), path);
  agents::TakeWeights(found, *policy_);
}

void Learner::TakeState(const Checkpoint& found) {
  agents::TakeWeights(found, *policy_);
  TakeOptimiser(found, *policy_, *optimiser_);
}

Sizes SizesOf(const Checkpoint& weights, const std::filesystem::path& path) {
  RequireAgent(weights, kAgent, env::kFeatureVersion, path);
  return TableOfSizes().Read(weights, path);
}

}  // namespace opyard::agents::placeto
