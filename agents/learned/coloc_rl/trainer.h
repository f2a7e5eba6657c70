// Trains ColocRL's policy on one problem, update by update.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/coloc_rl/policy.h"
#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/group_features.h"
#include "agents/learned/common/group_sequence.h"
#include "agents/learned/common/reinforce.h"
#include "env/evaluator.h"

namespace opyard::agents {

struct ColocRlOptions {
  GroupSequenceOptions groups;
  ColocRlSizes sizes;        // its num_groups and num_devices are the problem's
  std::int64_t samples = 4;  // plans per update
  double learning_rate = 0.003;
  double entropy = 0.0;               // weight of the mean entropy of a decision, in nats
  std::int64_t entropy_updates = 0;   // the weight falls linearly to 0 over so many; 0: it stays
  bool normalise_advantages = false;  // to a root mean square of 1 in each update
  double clip = 1.0;                  // greatest norm of the gradient
  double baseline_decay = 0.9;
  // After so many updates, plans that run out of memory train no more (the paper: about 5000).
  std::int64_t failure_updates = 1000;
};

// What one update saw: a point of the training curve.
struct UpdateReport {
  std::int64_t update = 0;  // 1 is the first
  std::int64_t num_completed = 0;
  std::vector<double> rewards;     // [samples]
  std::optional<double> baseline;  // that they were compared with; nothing before the first plan
                                   // that completed
  double entropy_weight = 0.0;
  double loss = 0.0;
  double entropy = 0.0;        // mean of a decision, nats, before the update
  double gradient_norm = 0.0;  // before clipping
  friend bool operator==(const UpdateReport&, const UpdateReport&) = default;
};

// Deterministic in problem, options and seed: update u draws from its own stream of the seed, so
// that seed and u are all of the random state. Used by one thread at a time.
class ColocRlTrainer {
 public:
  // Judges the rule-based plans of env::BaselinePlans for the scale of the rewards only
  // (env::FindReference, not counted). REQUIRES: problem.tasks().placement.
  ColocRlTrainer(const env::Problem& problem, const ColocRlOptions& options, std::uint64_t seed);

  // Samples plans, has them judged and makes one step of Adam. With fewer plans left in the budget
  // it samples fewer. Nothing when the evaluator is done or was interrupted: then no step was made.
  std::optional<UpdateReport> Update(env::Evaluator& evaluator);

  // Writes all state to a file, or goes on from it as if never stopped. Load throws InputError with
  // all reasons why a file does not fit.
  void Save(const std::filesystem::path& path) const;
  void Load(const std::filesystem::path& path);

  [[nodiscard]] ColocRlPolicy& policy() { return *policy_; }
  [[nodiscard]] const GroupFeatures& features() const { return features_; }
  [[nodiscard]] const GroupSequence& sequence() const { return sequence_; }

 private:
  [[nodiscard]] std::vector<sim::Plan> ToPlans(const torch::Tensor& devices) const;
  [[nodiscard]] UpdateReport Learn(const torch::Tensor& devices,
                                   std::span<const env::Evaluation> evaluations);
  // The advantage of each plan, [K]. Fills in the report's rewards and baseline, and moves the
  // baseline on.
  [[nodiscard]] std::vector<double> Compare(std::span<const env::Evaluation> evaluations,
                                            UpdateReport& report);
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
  std::int64_t num_updates_ = 0;
};

}  // namespace opyard::agents
