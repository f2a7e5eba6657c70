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

// A minibatch of problems per update, each on one of its levels drawn at random; each problem has a
// baseline and best plans of its own, which steps imitate whenever it is drawn again (Oh et al.,
// "Self-imitation learning", ICML 2018). Where problems come with the plan of a teacher that is the
// first of these, and the first updates do nothing but imitate: expert iteration (Anthony et al.,
// NeurIPS 2017). Later ones also draw plans and learn from them by PPO; a local search from the
// best one may replace what is imitated. Problems may differ in size, tasks and machine.
// PoolTrainer says what each function does.
class GoCourse {
 public:
  GoCourse(const GoSettings& settings, std::uint64_t seed, torch::Device device);

  std::optional<UpdateReport> UpdateTogether(env::ProblemPool& pool,
                                             const TrainingProgress& progress,
                                             Rng& rng);
  [[nodiscard]] Checkpoint ToWeights() const { return learner_->ToWeights(); }
  [[nodiscard]] Checkpoint ToState() const;
  void MakeNetwork(const Checkpoint& found, const std::filesystem::path& path);
  void TakeState(Checkpoint& found, const std::filesystem::path& path);

 private:
  using View = std::shared_ptr<const GoView>;
  void MakeLearner(const GoSizes& sizes);
  [[nodiscard]] View ViewOf(const env::PooledProblem& drawn);
  // What is remembered of a problem, its teacher's plan at least.
  GoMemory& MemoryOf(const env::PooledProblem& drawn,
                     const GoView& view,
                     env::Evaluator& evaluator);
  // What is to be learnt of a problem; nothing when the evaluator was interrupted.
  std::optional<GoLesson> LessonOf(const env::PooledProblem& drawn,
                                   const GoView& view,
                                   bool imitates_alone,
                                   env::Evaluator& evaluator,
                                   Rng& rng,
                                   UpdateReport& report);
  // A local search from the best of the samples; what it finds joins the memory.
  void Improve(const env::PooledProblem& drawn,
               const GoView& view,
               GoMemory& memory,
               env::Evaluator& evaluator,
               Rng& rng);

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
