#include "agents/learned/placeto/trainer.h"

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/placeto/declaration.h"
#include "agents/learned/placeto/episode.h"
#include "agents/learned/placeto/search.h"
#include "sim/base/error.h"

namespace opyard::agents::placeto {
namespace {

constexpr const char* kBaseline = "baseline.";

// Each episode is of one problem: all have as many steps. [episodes, steps]
torch::Tensor ToTensor(const StepBaseline& baseline) {
  std::vector<torch::Tensor> episodes;
  for (const std::vector<double>& returns : baseline.episodes()) {
    episodes.push_back(torch::tensor(returns, torch::kDouble));
  }
  return torch::stack(episodes);
}

}  // namespace

PoolLearner::PoolLearner(const Settings& settings, std::uint64_t seed, torch::Device device)
    : options_(settings.training), seed_(seed), device_(device) {
  if (!options_.learns) {
    throw InputError("learn: found false, expected true of an agent that is to be trained");
  }
}

std::int64_t PoolLearner::RememberedEpisodes() const {
  return options_.baseline_episodes * options_.episodes;
}

void PoolLearner::MakeLearner(const Sizes& sizes) {
  Rng weights(seed_);
  learner_ = std::make_unique<Learner>(options_, sizes, weights, device_);
}

void PoolLearner::RequireFit(const env::PooledProblem& sampled, const View& view) const {
  const Sizes& made_for = learner_->policy().sizes();
  if (made_for.num_devices != Fitted(made_for, view).num_devices) {
    throw InputError(sampled.name + ": found " + std::to_string(view.sequence.num_devices) +
                     " devices, but the network, which is faithful, is made for " +
                     std::to_string(made_for.num_devices) +
                     ": set faithful: false to train over machines that differ");
  }
}

std::optional<UpdateReport> PoolLearner::Update(const env::PooledProblem& sampled,
                                                const TrainingProgress& progress,
                                                env::Evaluator& evaluator,
                                                Rng& rng) {
  RequirePlacement(sampled);
  const View& view = views_.Of(sampled, [&](const env::Problem& problem) {
    return MakeView(problem, options_.groups, device_);
  });
  if (view.visited.empty()) {
    throw InputError(sampled.name +
                     ": found no op with a choice between devices: nothing is to be learnt on it");
  }
  if (learner_ == nullptr) {
    MakeLearner(Fitted(options_.sizes, view));
  }
  RequireFit(sampled, view);
  std::vector<Episode> episodes;
  while (std::ssize(episodes) < options_.episodes) {
    std::optional<Episode> episode =
        Play(view, options_.episode, std::nullopt, learner_->policy(), evaluator, rng);
    if (!episode.has_value()) {
      return std::nullopt;
    }
    episodes.push_back(*std::move(episode));
  }
  const auto baseline = baselines_.try_emplace(sampled.name, RememberedEpisodes()).first;
  return learner_->Learn(view, episodes, ScheduleAt(options_, progress), baseline->second);
}

Checkpoint PoolLearner::ToState() const {
  Checkpoint state = learner_->ToState();
  std::size_t i = 0;
  for (const auto& [name, baseline] : baselines_) {
    const std::string key = kBaseline + std::to_string(i++);
    state.record[key] = name;
    state.tensors[key] = ToTensor(baseline);
  }
  return state;
}

void PoolLearner::MakeNetwork(const Checkpoint& found, const std::filesystem::path& path) {
  MakeLearner(SizesOf(found, path));
  baselines_.clear();
}

void PoolLearner::TakeBaselines(Checkpoint& found, const std::filesystem::path& path) {
  for (std::size_t i = 0;; ++i) {
    const std::string key = kBaseline + std::to_string(i);
    const auto name = found.record.extract(key);
    if (name.empty()) {
      return;
    }
    const auto values = found.tensors.extract(key);
    if (values.empty() || values.mapped().dim() != 2 ||
        values.mapped().scalar_type() != torch::kDouble) {
      throw InputError(path.string() + ": tensor " + key +
                       ": missing, expected float64 of episodes and steps");
    }
    StepBaseline& baseline =
        baselines_.try_emplace(name.mapped(), RememberedEpisodes()).first->second;
    for (const torch::Tensor& returns : values.mapped().unbind()) {
      const double* const first = returns.const_data_ptr<double>();
      baseline.Add({first, first + returns.numel()});
    }
  }
}

void PoolLearner::TakeState(Checkpoint& found, const std::filesystem::path& path) {
  TakeBaselines(found, path);
  RequireMatch(found, learner_->ToState(), path);
  learner_->TakeState(found);
}

std::unique_ptr<Trainer> Declaration::MakeTrainer(const Settings& settings,
                                                  const TrainingPlan& plan) {
  return std::make_unique<PolicyTrainer>(settings, plan);
}

}  // namespace opyard::agents::placeto
