// Trains Placeto's policy over many problems.
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
#include "agents/learned/common/step_baseline.h"
#include "agents/learned/placeto/learner.h"
#include "agents/learned/placeto/settings.h"
#include "agents/learned/placeto/view.h"

namespace opyard::agents::placeto {

// One episode per update; each problem has a baseline of its own for each step. Entropy falls over
// the share of the planned updates, the step size over all of them; there are no restarts.
// PoolTrainer says what each function does.
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
  // That a baseline is the mean of.
  [[nodiscard]] std::int64_t RememberedEpisodes() const;
  void RequireFit(const env::PooledProblem& sampled, const View& view) const;
  // Moves the baselines from `found` to here.
  void TakeBaselines(Checkpoint& found, const std::filesystem::path& path);

  TrainingOptions options_;
  std::uint64_t seed_;
  torch::Device device_;
  std::unique_ptr<Learner> learner_;  // made at the first sample, by whose problem it is fitted
  KnownViews<View> views_;
  std::map<std::string, StepBaseline> baselines_;  // by problem
};

using PolicyTrainer = PoolTrainer<PoolLearner, Settings>;

}  // namespace opyard::agents::placeto
