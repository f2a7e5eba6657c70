// Trains ColocRL's policy over many problems.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <torch/torch.h>

#include "agents/learned/common/known_views.h"
#include "agents/learned/common/pool_trainer.h"
#include "agents/learned/common/problem_baselines.h"
#include "agents/learned/common/reinforce.h"
#include "agents/learned/reinforce_lstm/learner.h"
#include "agents/learned/reinforce_lstm/settings.h"
#include "agents/learned/reinforce_lstm/view.h"

namespace opyard::agents::reinforce_lstm {

// Each problem has a baseline of its own. Entropy falls over the share of the planned updates;
// there are no restarts. PoolTrainer says what each function does.
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
  void RequireFit(const env::PooledProblem& sampled, const View& view) const;

  TrainingOptions options_;
  std::uint64_t seed_;
  torch::Device device_;
  std::unique_ptr<Learner> learner_;  // made at the first sample, by whose problem it is fitted
  KnownViews<View> views_;
  ProblemBaselines baselines_;
};

using PolicyTrainer = PoolTrainer<PoolLearner, Settings>;

}  // namespace opyard::agents::reinforce_lstm
