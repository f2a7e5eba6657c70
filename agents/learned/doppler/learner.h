// DOPPLER's policies and how one update changes them.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/doppler/episode.h"
#include "agents/learned/doppler/policy.h"
#include "agents/learned/doppler/settings.h"
#include "agents/learned/doppler/view.h"
#include "sim/base/rng.h"

namespace opyard::agents::doppler {

// The loss of an update is a mean over the decisions of both policies in all episodes. Its terms:
//   − discount^(N − 1 − t) · advantage of the episode · log-probability of what was chosen
//   − imitation_weight · Σ log-probability of what the teacher would choose
//   − entropy_weight · entropy.
// A chooser that is the teacher has no part in it. The published code adds up instead of averaging:
// Adam's step is the same.
struct Goal {
  std::vector<double> advantages;  // one per episode
  double discount = 1.0;
  double imitation_weight = 0.0;
  double entropy_weight = 0.0;
};

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

  // The loss of whole episodes, whose gradient is left in the policies' parameters.
  Loss ComputeGradient(const View& view, std::span<const Episode> episodes, const Goal& goal);
  // A step of Adam along that gradient. Returns its norm before it was clipped.
  double Step(double learning_rate);

  [[nodiscard]] Policy& policy() { return *policy_; }

  // The weights alone: what serves other problems, too.
  [[nodiscard]] Checkpoint ToWeights() const;
  // The same with the state of the optimiser.
  [[nodiscard]] Checkpoint ToState() const;
  // Throws InputError with all reasons why `found`, read from `path`, does not fit.
  void TakeWeights(const Checkpoint& found, const std::filesystem::path& path);
  // REQUIRES: `found` has what ToState() has.
  void TakeState(const Checkpoint& found);

 private:
  // The part of the update's loss that `episodes` have, []; its gradient goes as far as `input`.
  // Adds their part of the entropy to `total`.
  torch::Tensor LossOf(const View& view,
                       const PolicyInput& input,
                       std::span<const Episode> episodes,
                       std::span<const double> advantages,
                       const Goal& goal,
                       Loss& total);

  TrainingOptions options_;
  std::shared_ptr<Policy> policy_;
  std::unique_ptr<torch::optim::Adam> optimiser_;
};

// The sizes of the networks that weights belong to. Throws InputError if they are another agent's
// or version's.
[[nodiscard]] Sizes SizesOf(const Checkpoint& weights, const std::filesystem::path& path);

}  // namespace opyard::agents::doppler
