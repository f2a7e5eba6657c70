// REGAL's policy and how one update changes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include <torch/torch.h>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/ppo.h"
#include "agents/learned/common/update_report.h"
#include "agents/learned/regal/chromosome_rewards.h"
#include "agents/learned/regal/policy.h"
#include "agents/learned/regal/settings.h"
#include "agents/learned/regal/view.h"
#include "sim/base/rng.h"

namespace opyard::agents::regal {

// Proposals as they were sampled; never sampled again.
struct SampledProposals {
  torch::Tensor bins;          // int64 [K, decisions], where the network is
  SampledDecisions decisions;  // [K, decisions]
};

// Used by one thread at a time.
class Learner {
 public:
  // With weights sampled from `rng`, on `device`; views must be made for it.
  Learner(const TrainingOptions& options,
          const Sizes& sizes,
          Rng& rng,
          torch::Device device = torch::kCPU);

  [[nodiscard]] SampledProposals Sample(const View& view, std::int64_t num_samples, Rng& rng);
  // The network's proposal without learning, by the options' `proposal`: a number in (0, 1) for
  // each decision (MiddlesOf), float64 [decisions]. `rng` samples where that is sampled.
  [[nodiscard]] torch::Tensor Propose(const View& view, Rng& rng);

  // One update along the advantages of the proposals, [K], once they are divided by their root mean
  // square. `rng` deals the proposals where there are several steps.
  UpdateReport Learn(const View& view,
                     const SampledProposals& proposals,
                     const ProposalRewards& rewards,
                     double entropy_weight,
                     Rng& rng);

  [[nodiscard]] Policy& policy() { return *policy_; }

  // The weights, and what they serve; and all that later updates depend on.
  [[nodiscard]] Checkpoint ToWeights() const;
  [[nodiscard]] Checkpoint ToState() const;
  // Throws InputError with all reasons why `found`, read from `path`, does not fit.
  void TakeWeights(const Checkpoint& found, const std::filesystem::path& path);
  // Takes what ToState() wrote. REQUIRES: the checkpoint has it (RequireMatch).
  void TakeState(const Checkpoint& found);

 private:
  // The figures of the plans `plans`, int64 [S].
  [[nodiscard]] MinibatchEvaluation EvaluateMinibatch(const View& view,
                                                      const SampledProposals& proposals,
                                                      const torch::Tensor& plans);

  TrainingOptions options_;
  std::shared_ptr<Policy> policy_;
  std::unique_ptr<torch::optim::Adam> optimiser_;
};

// The sizes of the network that weights of `network`'s agent belong to. Throws InputError if they
// are another agent's or version's.
[[nodiscard]] Sizes SizesOf(const Checkpoint& weights,
                            Network network,
                            const std::filesystem::path& path);

}  // namespace opyard::agents::regal
