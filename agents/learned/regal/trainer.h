// Trains REGAL's network, or that of GAS, over many problems.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include <torch/torch.h>

#include "agents/learned/common/known_views.h"
#include "agents/learned/common/pool_trainer.h"
#include "agents/learned/common/problem_baselines.h"
#include "agents/learned/regal/chromosome_rewards.h"
#include "agents/learned/regal/learner.h"
#include "agents/learned/regal/proposal.h"
#include "agents/learned/regal/settings.h"
#include "agents/learned/regal/view.h"

namespace opyard::agents::regal {

// One problem per update, and one of two ways to reward proposals (TrainingOptions::credit): each
// makes one chromosome (RewardChromosomes), or a genetic search, which is compared with one without
// proposals, of the same seed and number of decodes (Improvements). Problems may differ in size,
// tasks and machine. PoolTrainer says what each function does.
class PoolLearner {
 public:
  PoolLearner(const Settings& settings, std::uint64_t seed, torch::Device device);

  std::optional<UpdateReport> Update(const env::PooledProblem& sampled,
                                     const TrainingProgress& progress,
                                     env::Evaluator& evaluator,
                                     Rng& rng);
  [[nodiscard]] Checkpoint ToWeights() const { return learner_->ToWeights(); }
  [[nodiscard]] Checkpoint ToState() const;
  void MakeNetwork(const Checkpoint& found, const std::filesystem::path& path);
  void TakeState(Checkpoint& found, const std::filesystem::path& path);

 private:
  void MakeLearner(const Sizes& sizes);
  [[nodiscard]] SampledProposals Sample(const View& view, Rng& rng);
  // Those of `proposals`; nothing when the evaluator was interrupted.
  [[nodiscard]] std::optional<ProposalRewards> Reward(const View& view,
                                                      const SampledProposals& proposals,
                                                      RewardBaseline& baseline,
                                                      std::uint64_t seed,
                                                      env::Evaluator& evaluator) const;

  Settings settings_;
  std::uint64_t seed_;
  torch::Device device_;
  std::unique_ptr<Learner> learner_;
  std::unique_ptr<BinQuantiles> quantiles_;
  KnownViews<View> views_;
  ProblemBaselines baselines_;
};

using PolicyTrainer = PoolTrainer<PoolLearner, Settings>;

}  // namespace opyard::agents::regal
