#include "agents/learned/go/trainer.h"

#include "agents/learned/go/declaration.h"
#include "agents/planning/decisions.h"
#include "sim/base/error.h"

namespace opyard::agents {

GoCourse::GoCourse(const GoSettings& settings, std::uint64_t seed, torch::Device device)
    : options_(settings.training),
      seed_(seed),
      device_(device),
      baselines_(options_.baseline_decay),
      memories_(options_.elites) {
  MakeLearner(options_.sizes);
}

void GoCourse::MakeLearner(const GoSizes& sizes) {
  Rng weights(seed_);
  learner_ = std::make_unique<GoLearner>(options_, sizes, weights, device_);
}

std::optional<UpdateReport> GoCourse::Update(const env::PooledProblem& drawn,
                                             const TrainingProgress& progress,
                                             env::Evaluator& evaluator,
                                             Rng& rng) {
  if (HasOnePlan(*drawn.problem)) {
    throw InputError(drawn.name + ": found one plan only: nothing is to be learnt on it");
  }
  const GoView& view = views_.Of(drawn, [&](const env::Problem& problem) {
    return MakeGoView(problem, options_.rows, learner_->policy().sizes(), device_);
  });
  const std::size_t level = rng.Below(view.levels.size());
  const std::optional<JudgedGoSamples> samples =
      learner_->Sample(view, level, options_.samples, nullptr, evaluator, rng);
  if (!samples.has_value()) {
    return std::nullopt;
  }
  GoMemory& memory = memories_.Of(drawn.name);
  if (!Fits(memory.elites, view, learner_->policy().sizes().levels)) {
    throw InputError(drawn.name + ": found best plans of another problem in the training's state");
  }
  return learner_->Learn(
      view, *samples, progress.used_share, baselines_.Of(drawn.name), &memory, rng);
}

Checkpoint GoCourse::ToState() const {
  Checkpoint state = learner_->ToState();
  baselines_.AddTo(state);
  memories_.AddTo(state);
  return state;
}

void GoCourse::MakeNetwork(const Checkpoint& found, const std::filesystem::path& path) {
  MakeLearner(GoSizesOf(found, path));
  baselines_.Clear();
  memories_.Clear();
}

void GoCourse::TakeState(Checkpoint& found, const std::filesystem::path& path) {
  baselines_.TakeFrom(found, path);
  memories_.TakeFrom(found, path);
  RequireMatch(found, learner_->ToState(), path);
  learner_->TakeState(found);
}

std::unique_ptr<Trainer> GoDeclaration::MakeTrainer(const GoSettings& settings,
                                                    const TrainingPlan& plan) {
  return std::make_unique<GoTrainer>(settings, plan);
}

}  // namespace opyard::agents
