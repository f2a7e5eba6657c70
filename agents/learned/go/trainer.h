// Trains GO's network over many problems.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include <torch/torch.h>

#include "agents/learned/common/known_views.h"
#include "agents/learned/common/pool_trainer.h"
#include "agents/learned/common/problem_baselines.h"
#include "agents/learned/go/learner.h"
#include "agents/learned/go/problem_memories.h"
#include "agents/learned/go/settings.h"
#include "agents/learned/go/view.h"

namespace opyard::agents {

// One problem per update, on one of its levels drawn at random; each problem has a baseline and
// best plans of its own, which steps imitate whenever it is drawn again (Oh et al., "Self-imitation
// learning", ICML 2018). Problems may differ in size, tasks and machine. PoolTrainer says what each
// function does.
class GoCourse {
 public:
  GoCourse(const GoSettings& settings, std::uint64_t seed, torch::Device device);

  std::optional<UpdateReport> Update(const env::PooledProblem& drawn,
                                     const TrainingProgress& progress,
                                     env::Evaluator& evaluator,
                                     Rng& rng);
  [[nodiscard]] Checkpoint ToWeights() const { return learner_->ToWeights(); }
  [[nodiscard]] Checkpoint ToState() const;
  void MakeNetwork(const Checkpoint& found, const std::filesystem::path& path);
  void TakeState(Checkpoint& found, const std::filesystem::path& path);

 private:
  void MakeLearner(const GoSizes& sizes);

  GoOptions options_;
  std::uint64_t seed_;
  torch::Device device_;
  std::unique_ptr<GoLearner> learner_;
  KnownViews<GoView> views_;
  ProblemBaselines baselines_;
  ProblemMemories memories_;
};

using GoTrainer = PoolTrainer<GoCourse, GoSettings>;

}  // namespace opyard::agents
