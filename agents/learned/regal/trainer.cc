#include "agents/learned/regal/trainer.h"

#include <vector>

#include "agents/learned/common/entropy_schedule.h"
#include "agents/learned/regal/declaration.h"
#include "agents/learned/regal/proposal_search.h"
#include "agents/planning/decisions.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

void RequireDecisions(const env::PooledProblem& drawn, const RegalView& view) {
  if (HasOnePlan(*drawn.problem) || view.num_columns() == 0) {
    throw InputError(drawn.name + ": found nothing that the network proposes, expected several " +
                     "plans and a task among its `genes`");
  }
}

}  // namespace

RegalCourse::RegalCourse(const RegalSettings& settings, std::uint64_t seed, torch::Device device)
    : settings_(settings),
      seed_(seed),
      device_(device),
      baselines_(settings.training.baseline_decay) {
  MakeLearner(settings.training.sizes);
}

void RegalCourse::MakeLearner(const RegalSizes& sizes) {
  settings_.training.sizes = sizes;
  Rng weights(seed_);
  learner_ = std::make_unique<RegalLearner>(settings_.training, sizes, weights, device_);
}

std::optional<UpdateReport> RegalCourse::Update(const env::PooledProblem& drawn,
                                                const TrainingProgress& progress,
                                                env::Evaluator& evaluator,
                                                Rng& rng) {
  const RegalView& view = views_.Of(drawn, [&](const env::Problem& problem) {
    return MakeRegalView(problem, learner_->policy().sizes(), device_);
  });
  RequireDecisions(drawn, view);
  const std::uint64_t seed = rng.Next();
  const DrawnProposals proposals = learner_->Draw(view, settings_.training.samples, rng);
  const std::optional<std::vector<double>> rewards =
      Improvements(view, proposals.bins, settings_, seed, evaluator);
  if (!rewards.has_value()) {
    return std::nullopt;
  }
  return learner_->Learn(view,
                         proposals,
                         *rewards,
                         EntropyWeight(settings_.training.entropy, progress),
                         baselines_.Of(drawn.name),
                         rng);
}

Checkpoint RegalCourse::ToState() const {
  Checkpoint state = learner_->ToState();
  baselines_.AddTo(state);
  return state;
}

void RegalCourse::MakeNetwork(const Checkpoint& found, const std::filesystem::path& path) {
  MakeLearner(RegalSizesOf(found, settings_.training.sizes.network, path));
  baselines_.Clear();
}

void RegalCourse::TakeState(Checkpoint& found, const std::filesystem::path& path) {
  baselines_.TakeFrom(found, path);
  RequireMatch(found, learner_->ToState(), path);
  learner_->TakeState(found);
}

std::unique_ptr<Trainer> RegalDeclaration::MakeTrainer(const RegalSettings& settings,
                                                       const TrainingPlan& plan) {
  return std::make_unique<RegalTrainer>(settings, plan);
}

std::unique_ptr<Trainer> GasDeclaration::MakeTrainer(const RegalSettings& settings,
                                                     const TrainingPlan& plan) {
  return RegalDeclaration::MakeTrainer(settings, plan);
}

}  // namespace opyard::agents
