// Trains ColocRL's policy over many problems.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "agents/base/trainer.h"
#include "agents/learned/coloc_rl/learner.h"
#include "agents/learned/coloc_rl/settings.h"
#include "agents/learned/coloc_rl/view.h"
#include "agents/learned/common/reinforce.h"

namespace opyard::agents {

// One problem per update, with a baseline of its own. Entropy falls over the share of the planned
// updates; there are no restarts.
class ColocRlTrainer final : public Trainer {
 public:
  ColocRlTrainer(const ReinforceLstmSettings& settings, const TrainingPlan& plan);

  std::optional<TrainingPoint> Update(env::ProblemPool& pool, Rng& rng) override;
  [[nodiscard]] std::int64_t num_updates() const override { return num_updates_; }

  void Save(const std::filesystem::path& path, const TrainingRecord& record) const override;
  TrainingRecord Load(const std::filesystem::path& path) override;
  void SaveWeights(const std::filesystem::path& path, const TrainingRecord& record) const override;

 private:
  // What is made of a problem once, however often it is drawn.
  struct Known {
    std::shared_ptr<const env::Problem> problem;
    ColocRlView view;
  };

  [[nodiscard]] const ColocRlView& ViewOf(const env::PooledProblem& drawn);
  void RequireFit(const env::PooledProblem& drawn, const ColocRlView& view) const;
  std::optional<TrainingPoint> Update(const ColocRlView& view,
                                      const std::string& name,
                                      env::Evaluator& evaluator,
                                      Rng& rng);
  [[nodiscard]] Checkpoint ToState() const;

  ReinforceLstmSettings settings_;
  TrainingPlan plan_;
  std::unique_ptr<ColocRlLearner>
      learner_;  // made at the first draw, by whose problem it is fitted
  std::map<std::string, Known> known_;
  std::map<std::string, RewardBaseline> baselines_;  // by problem
  std::int64_t num_updates_ = 0;
};

}  // namespace opyard::agents
