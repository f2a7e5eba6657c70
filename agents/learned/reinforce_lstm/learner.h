// ColocRL's policy and how one update changes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/lagging_copies.h"
#include "agents/learned/common/policy_update.h"
#include "agents/learned/common/ppo.h"
#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/update_report.h"
#include "agents/learned/reinforce_lstm/policy.h"
#include "agents/learned/reinforce_lstm/settings.h"
#include "agents/learned/reinforce_lstm/view.h"
#include "env/evaluator.h"
#include "sim/base/rng.h"

namespace opyard::agents::reinforce_lstm {

// Plans that a policy sampled, evaluated.
struct Rollout {
  torch::Tensor devices;                     // int64 [K, G], where the network is
  SampledDecisions decisions;                // [K, G], as they were sampled
  std::vector<env::Evaluation> evaluations;  // [K]
};

// Used by one thread at a time. Every plan that it has evaluated was sampled by its policy.
class Learner {
 public:
  // With weights sampled from `rng`, on `device`; views must be made for it.
  Learner(const TrainingOptions& options,
          const Sizes& sizes,
          Rng& rng,
          torch::Device device = torch::kCPU);

  // Samples so many plans, as the worker whose turn it is, and has them evaluated. Nothing if not
  // all of them were: the budget ended.
  [[nodiscard]] std::optional<Rollout> Sample(const View& view,
                                              std::int64_t num_samples,
                                              env::Evaluator& evaluator,
                                              Rng& rng);
  // Ends that worker's turn. One step of Adam along the advantage of each plan over `baseline`,
  // which moves on; by PPO, several, for which `rng` deals the plans. None if the options turn
  // learning off: then the report alone is made.
  UpdateReport Learn(const View& view,
                     const Rollout& samples,
                     const PolicyUpdate& update,
                     RewardBaseline& baseline,
                     Rng& rng);

  [[nodiscard]] Policy& policy() { return *policy_; }

  // The weights alone: what serves other problems, too.
  [[nodiscard]] Checkpoint ToWeights() const;
  // The same with the state of the optimiser and of the workers.
  [[nodiscard]] Checkpoint ToState() const;
  // Throws InputError with all reasons why `found`, read from `path`, does not fit.
  void TakeWeights(const Checkpoint& found, const std::filesystem::path& path);

  // REQUIRES: `found`, read from `path`, has what ToState() has.
  void TakeState(const Checkpoint& found, const std::filesystem::path& path);

 private:
  // The figures of the plans `plans`, int64 [S], under the policy that steps: the worker whose turn
  // it is or, by PPO, the shared policy, whose ratios account for the worker's lag.
  [[nodiscard]] MinibatchEvaluation EvaluateMinibatch(const View& view,
                                                      const Rollout& samples,
                                                      const torch::Tensor& plans);
  // Returns the gradient's norm before clipping.
  double GradientStep(const torch::Tensor& loss);

  TrainingOptions options_;
  std::shared_ptr<Policy> policy_;
  std::unique_ptr<torch::optim::Adam> optimiser_;
  LaggingCopies<Policy> workers_;
};

// The sizes of the network that weights belong to. Throws InputError if they are another agent's or
// version's.
[[nodiscard]] Sizes SizesOf(const Checkpoint& weights, const std::filesystem::path& path);

}  // namespace opyard::agents::reinforce_lstm
