// Trains ColocRL's policy on one problem, update by update.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/coloc_rl/policy.h"
#include "agents/learned/coloc_rl/settings.h"
#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/collapse_watch.h"
#include "agents/learned/common/group_features.h"
#include "agents/learned/common/reinforce.h"
#include "agents/planning/group_sequence.h"
#include "env/evaluator.h"

namespace opyard::agents {

// What one update saw: a point of the training curve.
struct UpdateReport {
  std::int64_t update = 0;  // 1 is the first
  std::int64_t num_completed = 0;
  std::vector<double> rewards;     // [samples]
  std::optional<double> baseline;  // that they were compared with; nothing before the first plan
                                   // that completed
  double entropy_weight = 0.0;
  double loss = 0.0;
  double entropy = 0.0;           // mean of a decision, nats, before the update
  double gradient_norm = 0.0;     // before clipping
  std::int64_t num_restarts = 0;  // made so far, the one after this update included
  friend bool operator==(const UpdateReport&, const UpdateReport&) = default;
};

// Deterministic in problem, options, seed and the evaluations of the budget; with a budget in
// seconds alone the entropy's weight follows the clock, which ends such a training, too. Update u
// draws from its own stream of the seed, and so do the weights of each restart, so that seed and
// counts are all of the random state. Used by one thread at a time.
class ColocRlTrainer {
 public:
  // Judges the rule-based plans of env::BaselinePlans for the scale of the rewards only
  // (env::FindReference, not counted). REQUIRES: problem.tasks().placement.
  ColocRlTrainer(const env::Problem& problem, const ColocRlOptions& options, std::uint64_t seed);

  // Samples plans, has them judged and makes one step of Adam. With fewer plans left in the budget
  // it samples fewer. Nothing when the evaluator is done or was interrupted: then no step was made.
  // A policy that collapsed while it was paid for entropy gives way to a fresh one, which is
  // trained over what is left of the budget.
  std::optional<UpdateReport> Update(env::Evaluator& evaluator);

  // Writes all state to a file, or goes on from it as if never stopped: the budget of a training is
  // what it has spent so far and what its evaluator has left. Load throws InputError with all
  // reasons why a file does not fit.
  void Save(const std::filesystem::path& path) const;
  void Load(const std::filesystem::path& path);

  [[nodiscard]] ColocRlPolicy& policy() { return *policy_; }
  [[nodiscard]] const GroupFeatures& features() const { return features_; }
  [[nodiscard]] const GroupSequence& sequence() const { return sequence_; }

 private:
  [[nodiscard]] std::vector<sim::Plan> ToPlans(const torch::Tensor& devices) const;
  [[nodiscard]] TrainingProgress Progress(const env::Evaluator& evaluator) const;
  [[nodiscard]] UpdateReport Learn(const torch::Tensor& devices,
                                   std::span<const env::Evaluation> evaluations,
                                   double entropy_weight);
  // The advantage of each plan, [K]. Fills in the report's rewards and baseline, and moves the
  // baseline on.
  [[nodiscard]] std::vector<double> Compare(std::span<const env::Evaluation> evaluations,
                                            UpdateReport& report);
  // Begins with the weights of restart `num_restarts_`, and with nothing behind it.
  void StartAnew();
  [[nodiscard]] Checkpoint ToCheckpoint() const;

  const env::Problem& problem_;
  ColocRlOptions options_;
  std::int64_t seed_;
  double reference_score_;
  std::vector<std::int64_t> priority_of_group_;  // of the problem; empty if scheduling is no task
  GroupSequence sequence_;
  GroupFeatures features_;
  std::shared_ptr<ColocRlPolicy> policy_;
  std::unique_ptr<torch::optim::Adam> optimiser_;
  RewardBaseline baseline_;
  CollapseWatch watch_;
  std::int64_t num_updates_ = 0;
  std::int64_t num_restarts_ = 0;
  // Of the policy at hand, since it was fresh.
  std::int64_t own_updates_ = 0;
  std::int64_t own_evaluations_ = 0;
  double share_at_start_ = 0.0;  // of a budget in seconds
};

}  // namespace opyard::agents
