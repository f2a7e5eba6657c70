#include "agents/learned/reinforce_lstm/trainer.h"

#include <utility>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/reinforce_lstm/declaration.h"
#include "agents/learned/reinforce_lstm/search.h"
#include "sim/base/error.h"

namespace opyard::agents::reinforce_lstm {
namespace {

// The numbers of groups and devices that a network is made for; 0 stands for any.
std::string MadeFor(const Sizes& sizes) {
  const auto number = [](std::int64_t count) {
    return count == 0 ? std::string("any") : std::to_string(count);
  };
  return number(sizes.num_groups) + " on " + number(sizes.num_devices);
}

}  // namespace

PoolLearner::PoolLearner(const Settings& settings, std::uint64_t seed, torch::Device device)
    : options_(settings.training),
      seed_(seed),
      device_(device),
      baselines_(options_.baseline.momentum) {
  if (!options_.learns) {
    throw InputError("learn: found false, expected true of an agent that is to be trained");
  }
}

void PoolLearner::MakeLearner(const Sizes& sizes) {
  Rng weights(seed_);
  learner_ = std::make_unique<Learner>(options_, sizes, weights, device_);
}

void PoolLearner::RequireFit(const env::PooledProblem& sampled, const View& view) const {
  const Sizes& made_for = learner_->policy().sizes();
  const Sizes needed = Fitted(made_for, view);
  if (made_for.num_groups != needed.num_groups || made_for.num_devices != needed.num_devices) {
    throw InputError(sampled.name + ": found " + std::to_string(view.sequence.num_groups) +
                     " groups on " + std::to_string(view.sequence.num_devices) +
                     " devices, but the network, faithful or with adjacency rows, is made for " +
                     MadeFor(made_for) +
                     ": leave out faithful and adjacency to train over problems that differ");
  }
}

std::optional<UpdateReport> PoolLearner::Update(const env::PooledProblem& sampled,
                                                const TrainingProgress& progress,
                                                env::Evaluator& evaluator,
                                                Rng& rng) {
  RequirePlacement(sampled);
  // The weights that a training goes on with say what their network may see.
  const Sizes& sizes = learner_ == nullptr ? options_.sizes : learner_->policy().sizes();
  const View& view = views_.Of(sampled, [&](const env::Problem& problem) {
    return MakeView(problem, options_.groups, sizes, device_);
  });
  if (learner_ == nullptr) {
    MakeLearner(Fitted(options_.sizes, view));
  }
  RequireFit(sampled, view);
  const std::optional<Rollout> samples =
      learner_->Sample(view, options_.batch_size, evaluator, rng);
  if (!samples.has_value()) {
    return std::nullopt;
  }
  return learner_->Learn(view,
                         *samples,
                         {.entropy_weight = EntropyWeight(options_.entropy, progress),
                          .num_updates = progress.num_updates},
                         baselines_.Of(sampled.name),
                         rng);
}

Checkpoint PoolLearner::ToState() const {
  Checkpoint state = learner_->ToState();
  baselines_.AddTo(state);
  return state;
}

void PoolLearner::MakeNetwork(const Checkpoint& found, const std::filesystem::path& path) {
  MakeLearner(SizesOf(found, path));
  baselines_.Clear();
}

void PoolLearner::TakeState(Checkpoint& found, const std::filesystem::path& path) {
  baselines_.TakeFrom(found, path);
  RequireMatch(found, learner_->ToState(), path);
  learner_->TakeState(found, path);
}

std::unique_ptr<Trainer> Declaration::MakeTrainer(const Settings& settings,
                                                  const TrainingPlan& plan) {
  return std::make_unique<PolicyTrainer>(settings, plan);
}

}  // namespace opyard::agents::reinforce_lstm
