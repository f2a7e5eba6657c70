// HDP's policy and how one update changes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/policy_update.h"
#include "agents/learned/common/ppo.h"
#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/update_report.h"
#include "agents/learned/hdp/policy.h"
#include "agents/learned/hdp/settings.h"
#include "agents/learned/hdp/view.h"
#include "env/evaluator.h"
#include "sim/base/rng.h"

namespace opyard::agents::hdp {

// Plans that a policy sampled, evaluated.
struct Rollout {
  SampledPlans plans;
  torch::Tensor device_of_unit;              // int64 [K, U], on the CPU
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

  // Samples so many plans and has them evaluated. Nothing if not all of them were: the budget
  // ended.
  [[nodiscard]] std::optional<Rollout> Sample(const View& view,
                                              std::int64_t num_samples,
                                              env::Evaluator& evaluator,
                                              Rng& rng,
                                              const Sampling& sampling = {});
  // The sampling of plans in the update that has `num_updates` behind it.
  [[nodiscard]] Sampling SamplingAt(std::int64_t num_updates, std::int64_t num_samples) const;
  // One step of Adam along the advantage of each plan over `baseline`, which moves on; by PPO,
  // several, for which `rng` deals the plans. None if the options turn learning off: then the
  // report alone is made.
  UpdateReport Learn(const View& view,
                     const Rollout& samples,
                     const PolicyUpdate& update,
                     RewardBaseline& baseline,
                     Rng& rng);

  [[nodiscard]] Policy& policy() { return *policy_; }

  // The weights, and what they serve.
  [[nodiscard]] Checkpoint ToWeights() const;
  // Throws InputError with all reasons why `found`, read from `path`, does not fit.
  void TakeWeights(const Checkpoint& found, const std::filesystem::path& path);

 private:
  // The figures of the plans `plans`, int64 [S].
  [[nodiscard]] MinibatchEvaluation EvaluateMinibatch(const View& view,
                                                      const Rollout& samples,
                                                      const torch::Tensor& plans);
  // Returns the gradient's norm before clipping.
  double GradientStep(const torch::Tensor& loss);

  TrainingOptions options_;
  std::shared_ptr<Policy> policy_;
  std::unique_ptr<torch::optim::Adam> optimiser_;
  torch::Tensor last_devices_;  // int64 [K, G]: of the groups, in the last rollout
};

// The step size of the update that has `num_updates` behind it: a staircase, as of TensorFlow's
// exponential_decay, whose first step down is at first_update + num_updates.
[[nodiscard]] double StepSizeAt(const StepSize& step_size, std::int64_t num_updates);

// The sizes of the network that weights belong to. Throws InputError if they are another agent's or
// version's.
[[nodiscard]] Sizes SizesOf(const Checkpoint& weights, const std::filesystem::path& path);

}  // namespace opyard::agents::hdp
