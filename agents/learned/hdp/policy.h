// HDP's network: a grouper and a placer that learn together.
#pragma once

#include <cstdint>
#include <memory>

#include <torch/torch.h>

#include "agents/learned/common/ppo.h"
#include "agents/learned/hdp/grouper.h"
#include "agents/learned/hdp/logit_noise.h"
#include "agents/learned/hdp/op_features.h"
#include "agents/learned/hdp/placer.h"
#include "agents/learned/hdp/settings.h"
#include "sim/base/rng.h"

namespace opyard::agents::hdp {

// K samples, U units, G groups. The decisions of a plan are the group of each unit, if the grouper
// learns, and then the device of each group: N = U + G, or G. All tensors lie where the features
// do, and the network must.
struct SampledPlans {
  torch::Tensor groups;        // [K, U] int64: which group each unit is in
  torch::Tensor devices;       // [K, G] int64: where each group is
  torch::Tensor log_probs;     // [K]: of both
  SampledDecisions decisions;  // [K, N]
  LogitNoise noise;            // that they were sampled with
};

// The options of sampling plans.
struct Sampling {
  double noise_std = 0.0;  // of the noise on logits, over their root mean square; 0: none
  torch::Tensor
      replayed;  // int64 [K, G]: devices of the groups; undefined: the placer samples them
};
struct PlanLogProbs {
  torch::Tensor log_probs;           // [K]
  torch::Tensor decision_log_probs;  // [K, N]
  torch::Tensor entropy;             // []: mean of a group's decision, nats
  torch::Tensor group_entropy;       // []: mean of a unit's decision, nats; 0 of a random grouper
};

// The probability of a plan is that of its groups times that of their devices. What is stored is
// what was sampled, and its probability is taken again from that: never from another sample.
class Policy : public torch::nn::Module {
 public:
  // REQUIRES: num_groups, num_devices and (of a random grouper) num_units of `sizes` are set.
  Policy(const Sizes& sizes, Rng& rng);

  // Samples plans, without gradients.
  [[nodiscard]] SampledPlans Sample(const OpFeatures& features,
                                    std::int64_t num_samples,
                                    Rng& rng,
                                    const Sampling& sampling = {});
  // The same figures for given plans and the noise that they were sampled with, with gradients.
  [[nodiscard]] PlanLogProbs EvaluateActions(const OpFeatures& features,
                                             const torch::Tensor& groups,
                                             const torch::Tensor& devices,
                                             const LogitNoise& noise = {});

  [[nodiscard]] const Sizes& sizes() const { return sizes_; }

 private:
  [[nodiscard]] LogitNoise SampleNoise(const OpFeatures& features,
                                       std::int64_t num_samples,
                                       double relative_std,
                                       Rng& rng) const;
  // log-probabilities of the groups of each unit: [U, G], with noise [K, U, G].
  [[nodiscard]] torch::Tensor GroupLogProbs(const OpFeatures& features, const LogitNoise& noise);

  Sizes sizes_;
  std::shared_ptr<Grouper> grouper_;  // null if groups are random
  std::shared_ptr<Placer> placer_;
  torch::Tensor random_groups_;  // [U] int64, if they are
};

}  // namespace opyard::agents::hdp
