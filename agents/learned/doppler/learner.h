// The learner of DOPPLER: both policies, the loss of an update and its step of Adam.
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

// The advantages of an update's episodes and the weights of the terms of its loss. An episode has N
// steps, t = 0 … N − 1, one for each node; at each step SELECT chooses a ready node, then PLACE its
// device. The loss is the mean, over these 2 N decisions of every episode, of
//   − discount^(N − 1 − t) · advantage of the episode · log-probability of the choice made
//   − imitation_weight · Σ log-probabilities of the choices that the teacher holds best
//   − entropy_weight · entropy of the policy's distribution.
// Decisions that the teacher makes in place of a policy (Chooser::kTeacher) count as 0 in this
// mean. The published code takes the sum instead; Adam's step does not depend on the scale of the
// loss.
struct UpdateTargets {
  std::vector<double> advantages;  // [episodes]
  double discount = 1.0;
  double imitation_weight = 0.0;
  double entropy_weight = 0.0;
};

struct Loss {
  double loss = 0.0;
  double entropy = 0.0;  // nats, the same mean over decisions
};

// Used by one thread at a time.
class Learner {
 public:
  // Initialises the weights from `rng` and puts them on `device`, on which views have to lie.
  Learner(const TrainingOptions& options,
          const Sizes& sizes,
          Rng& rng,
          torch::Device device = torch::kCPU);

  // The loss of complete `episodes`. Leaves its gradient in the policies' parameters, in place of
  // an older one. REQUIRES: one of `targets.advantages` for each episode.
  Loss ComputeGradient(const View& view,
                       std::span<const Episode> episodes,
                       const UpdateTargets& targets);
  // Clips that gradient to max_grad_norm and takes one step of Adam. Returns the norm before
  // clipping.
  double Step(double learning_rate);

  [[nodiscard]] Policy& policy() { return *policy_; }

  // The weights of both policies without Adam's moments, as a search on another problem starts
  // from.
  [[nodiscard]] Checkpoint ToWeights() const;
  // The weights and Adam's moments, with which training can continue.
  [[nodiscard]] Checkpoint ToState() const;
  // Loads what ToWeights() wrote. Throws InputError with all reasons why `found`, read from `path`,
  // does not fit.
  void TakeWeights(const Checkpoint& found, const std::filesystem::path& path);
  // Loads what ToState() wrote. REQUIRES: `found` has the same tensors as this learner's ToState().
  void TakeState(const Checkpoint& found);

 private:
  // The share of `episodes` in the update's loss, a scalar; a backward pass from it ends at the
  // tensors of `input`. `advantages` are those of these episodes. Adds their share of the mean
  // entropy to `total.entropy`.
  torch::Tensor LossOf(const View& view,
                       const PolicyInput& input,
                       std::span<const Episode> episodes,
                       std::span<const double> advantages,
                       const UpdateTargets& targets,
                       Loss& total);

  TrainingOptions options_;
  std::shared_ptr<Policy> policy_;
  std::unique_ptr<torch::optim::Adam> optimiser_;
};

// The sizes of the networks that `weights`, read from `path`, belong to. Throws InputError if they
// are another agent's or version's.
[[nodiscard]] Sizes SizesOf(const Checkpoint& weights, const std::filesystem::path& path);

}  // namespace opyard::agents::doppler
