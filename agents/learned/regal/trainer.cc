#include "agents/learned/regal/trainer.h"

#include <algorithm>
#include <vector>

#include "agents/learned/common/entropy_schedule.h"
#include "agents/learned/regal/advantages.h"
#include "agents/learned/regal/declaration.h"
#include "agents/learned/regal/proposal_search.h"
#include "agents/planning/encoding/decisions.h"
#include "sim/base/error.h"

namespace opyard::agents::regal {
namespace {

// Throws InputError where there is nothing to learn.
void RequireDecisions(const env::PooledProblem& sampled,
                      const View& view,
                      const TrainingOptions& options) {
  if (options.credit == Credit::kChromosome && options.sizes.learned_bias) {
    throw InputError(
        "option credit: found chromosome, expected search with learned_bias: a single "
        "chromosome has no elite parent");
  }
  if (HasOnePlan(*sampled.problem) || view.num_columns() == 0) {
    throw InputError(sampled.name + ": found nothing that the network proposes, expected several " +
                     "plans and a task among its `genes`");
  }
}

}  // namespace

PoolLearner::PoolLearner(const Settings& settings, std::uint64_t seed, torch::Device device)
    : settings_(settings),
      seed_(seed),
      device_(device),
      baselines_(settings.training.baseline_momentum) {
  MakeLearner(settings.training.sizes);
}

void PoolLearner::MakeLearner(const Sizes& sizes) {
  settings_.training.sizes = sizes;
  Rng weights(seed_);
  learner_ = std::make_unique<Learner>(settings_.training, sizes, weights, device_);
  quantiles_ = std::make_unique<BinQuantiles>(sizes.bins);
}

SampledProposals PoolLearner::Sample(const View& view, Rng& rng) {
  const TrainingOptions& options = settings_.training;
  const bool are_chromosomes = options.credit == Credit::kChromosome;
  return learner_->Sample(
      view, options.batch_size * (are_chromosomes ? options.chromosomes : 1), rng);
}

std::optional<ProposalRewards> PoolLearner::Reward(const View& view,
                                                   const SampledProposals& proposals,
                                                   RewardBaseline& baseline,
                                                   std::uint64_t seed,
                                                   env::Evaluator& evaluator) const {
  if (settings_.training.credit == Credit::kChromosome) {
    return RewardChromosomes(view, proposals.bins, *quantiles_, settings_, seed, evaluator);
  }
  const std::optional<std::vector<double>> rewards =
      Improvements(view, proposals.bins, settings_, seed, evaluator);
  if (!rewards.has_value()) {
    return std::nullopt;
  }
  ProposalRewards found{.rewards = *rewards, .advantages = OverOthers(*rewards)};
  if (settings_.training.baseline == Baseline::kAverage) {
    std::ranges::transform(*rewards, found.advantages.begin(), [&](double reward) {
      return reward - baseline.value().value_or(0.0);
    });
  }
  baseline.Move(*rewards);
  return found;
}

std::optional<UpdateReport> PoolLearner::Update(const env::PooledProblem& sampled,
                                                const TrainingProgress& progress,
                                                env::Evaluator& evaluator,
                                                Rng& rng) {
  const View& view = views_.Of(sampled, [&](const env::Problem& problem) {
    return MakeView(problem, learner_->policy().sizes(), device_);
  });
  RequireDecisions(sampled, view, settings_.training);
  const std::uint64_t seed = rng.Next();
  const SampledProposals proposals = Sample(view, rng);
  RewardBaseline& baseline = baselines_.Of(sampled.name);
  const std::optional<double> compared_with = baseline.value();
  const std::optional<ProposalRewards> rewards = Reward(view, proposals, baseline, seed, evaluator);
  if (!rewards.has_value()) {
    return std::nullopt;
  }
  UpdateReport report = learner_->Learn(
      view, proposals, *rewards, EntropyWeight(settings_.training.entropy, progress), rng);
  report.baseline = compared_with;
  return report;
}

Checkpoint PoolLearner::ToState() const {
  Checkpoint state = learner_->ToState();
  baselines_.AddTo(state);
  return state;
}

void PoolLearner::MakeNetwork(const Checkpoint& found, const std::filesystem::path& path) {
  MakeLearner(SizesOf(found, settings_.training.sizes.network, path));
  baselines_.Clear();
}

void PoolLearner::TakeState(Checkpoint& found, const std::filesystem::path& path) {
  baselines_.TakeFrom(found, path);
  RequireMatch(found, learner_->ToState(), path);
  learner_->TakeState(found);
}

std::unique_ptr<Trainer> Declaration::MakeTrainer(const Settings& settings,
                                                  const TrainingPlan& plan) {
  return std::make_unique<PolicyTrainer>(settings, plan);
}

std::unique_ptr<Trainer> GasDeclaration::MakeTrainer(const Settings& settings,
                                                     const TrainingPlan& plan) {
  return Declaration::MakeTrainer(settings, plan);
}

}  // namespace opyard::agents::regal
