// Trains GO's network over many problems.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/common/known_views.h"
#include "agents/learned/common/pool_trainer.h"
#include "agents/learned/common/problem_baselines.h"
#include "agents/learned/go/learner.h"
#include "agents/learned/go/problem_memories.h"
#include "agents/learned/go/settings.h"
#include "agents/learned/go/view.h"

namespace opyard::agents::go {

// A minibatch of problems per update; each problem has a baseline, and for each resolution the best
// plan of that many rows that is known, which steps imitate whenever it comes again (Oh et al.,
// "Self-imitation learning", ICML 2018). Where problems come with the plan of a teacher, a search
// over rows from it makes these (row_search.h), and the first updates do nothing but imitate them,
// all resolutions at once: expert iteration (Anthony et al., NeurIPS 2017). Later updates also
// sample plans of one resolution, sampled at random, and learn from them by PPO; a search over rows
// from the best one may replace what is imitated. Problems may differ in size, tasks and machine.
// PoolTrainer says what each function does.
class PoolLearner {
 public:
  PoolLearner(const Settings& settings, std::uint64_t seed, torch::Device device);

  std::optional<UpdateReport> UpdateTogether(env::ProblemPool& pool,
                                             const TrainingProgress& progress,
                                             Rng& rng);
  [[nodiscard]] Checkpoint ToWeights() const { return learner_->ToWeights(); }
  [[nodiscard]] Checkpoint ToState() const;
  void MakeNetwork(const Checkpoint& found, const std::filesystem::path& path);
  void TakeState(Checkpoint& found, const std::filesystem::path& path);

 private:
  using SharedView = std::shared_ptr<const View>;
  void MakeLearner(const Sizes& sizes);
  [[nodiscard]] SharedView ViewOf(const env::PooledProblem& sampled);
  // The memory of a problem; where it has a teacher, at least what a search makes of that plan.
  ProblemMemory& MemoryOf(const env::PooledProblem& sampled,
                          const View& view,
                          env::Evaluator& evaluator,
                          Rng& rng);
  // The lesson of a problem; nothing when the evaluator was interrupted.
  std::optional<Lesson> LessonOf(const env::PooledProblem& sampled,
                                 const View& view,
                                 bool imitates_alone,
                                 env::Evaluator& evaluator,
                                 Rng& rng,
                                 UpdateReport& report);
  // The best of the samples, or what a search from it finds, joins the plans that are imitated.
  void Improve(const env::PooledProblem& sampled,
               const Lesson& lesson,
               const std::vector<double>& rewards,
               env::Evaluator& evaluator,
               Rng& rng);

  TrainingOptions options_;
  std::uint64_t seed_;
  torch::Device device_;
  std::unique_ptr<Learner> learner_;
  KnownViews<View> views_;
  ProblemBaselines baselines_;
  ProblemMemories memories_;
};

using PolicyTrainer = PoolTrainer<PoolLearner, Settings>;

}  // namespace opyard::agents::go
