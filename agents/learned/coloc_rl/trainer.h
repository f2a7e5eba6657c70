// Trains ColocRL's policy over many problems.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <torch/torch.h>

#include "agents/learned/coloc_rl/learner.h"
#include "agents/learned/coloc_rl/settings.h"
#include "agents/learned/coloc_rl/view.h"
#include "agents/learned/common/known_views.h"
#include "agents/learned/common/pool_trainer.h"
#include "agents/learned/common/problem_baselines.h"
#include "agents/learned/common/reinforce.h"

namespace opyard::agents {

// Each problem has a baseline of its own. Entropy falls over the share of the planned updates;
// there are no restarts. PoolTrainer says what each function does.
class ColocRlPoolLearner {
 public:
  ColocRlPoolLearner(const ReinforceLstmSettings& settings, std::uint64_t seed, torch::Device device);

  std::optional<UpdateReport> Update(const env::PooledProblem& sampled,
                                     const TrainingProgress& progress,
                                     env::Evaluator& evaluator,
                                     Rng& rng);
  [[nodiscard]] Checkpoint ToWeights() const { return learner_->ToWeights(); }
  [[nodiscard]] Checkpoint ToState() const;
  void MakeNetwork(const Checkpoint& found, const std::filesystem::path& path);
  void TakeState(Checkpoint& found, const std::filesystem::path& path);

 private:
  void MakeLearner(const ColocRlSizes& sizes);
  void RequireFit(const env::PooledProblem& sampled, const ColocRlView& view) const;

  ColocRlOptions options_;
  std::uint64_t seed_;
  torch::Device device_;
  std::unique_ptr<ColocRlLearner>
      learner_;  // made at the first sample, by whose problem it is fitted
  KnownViews<ColocRlView> views_;
  ProblemBaselines baselines_;
};

using ColocRlTrainer = PoolTrainer<ColocRlPoolLearner, ReinforceLstmSettings>;

}  // namespace opyard::agents
