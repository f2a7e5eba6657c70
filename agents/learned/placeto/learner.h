// Placeto's policy and how one episode changes it.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/step_baseline.h"
#include "agents/learned/common/update_report.h"
#include "agents/learned/placeto/episode.h"
#include "agents/learned/placeto/policy.h"
#include "agents/learned/placeto/settings.h"
#include "agents/learned/placeto/view.h"
#include "sim/base/rng.h"

namespace opyard::agents::placeto {

// The weight of entropy and the step size of one update.
struct Schedule {
  double entropy_weight = 0.0;
  double learning_rate = 0.0;
};

// The loss of REINFORCE: − mean over the steps of advantage · log-probability + weight · entropy.
struct Loss {
  double loss = 0.0;
  double entropy = 0.0;  // mean of a decision, nats
};

// Used by one thread at a time.
class Learner {
 public:
  // With weights sampled from `rng`, on `device`; views must be made for it.
  Learner(const TrainingOptions& options,
          const Sizes& sizes,
          Rng& rng,
          torch::Device device = torch::kCPU);

  // One step of Adam along the advantages of the episodes' steps over `baseline`, which then
  // remembers the episodes; without `learns`, the report of that step alone. The report's rewards
  // are the steps', its baseline what the first step was expected to gain. REQUIRES: an episode.
  UpdateReport Learn(const View& view,
                     std::span<const Episode> episodes,
                     const Schedule& schedule,
                     StepBaseline& baseline);

  // The loss of an episode, whose gradient is left in the policy's parameters: the mean over its
  // steps or, with `adds_steps`, their sum.
  Loss ComputeGradient(const View& view,
                       const Episode& episode,
                       const std::vector<double>& advantages,
                       double entropy_weight);

  [[nodiscard]] Policy& policy() { return *policy_; }

  // The weights alone: what serves other problems, too; of a faithful network, those with as
  // many devices.
  [[nodiscard]] Checkpoint ToWeights() const;
  // The same with the state of the optimiser.
  [[nodiscard]] Checkpoint ToState() const;
  // Throws InputError with all reasons why `found`, read from `path`, does not fit.
  void TakeWeights(const Checkpoint& found, const std::filesystem::path& path);
  // REQUIRES: `found` has what ToState() has.
  void TakeState(const Checkpoint& found);

 private:
  // The same loss times `factor`; its gradient is added to what is there.
  Loss AddGradient(const View& view,
                   const Episode& episode,
                   const std::vector<double>& advantages,
                   double entropy_weight,
                   double factor);

  TrainingOptions options_;
  std::shared_ptr<Policy> policy_;
  std::unique_ptr<torch::optim::Adam> optimiser_;
};

// The sizes of the network that weights belong to. Throws InputError if they are another agent's or
// version's.
[[nodiscard]] Sizes SizesOf(const Checkpoint& weights, const std::filesystem::path& path);

}  // namespace opyard::agents::placeto
