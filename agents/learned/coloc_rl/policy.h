// ColocRL's network: which device each group goes to, one group after the other.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "agents/learned/coloc_rl/settings.h"
#include "agents/learned/common/group_features.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// K samples, G groups, D devices.
struct SampledPlacements {
  torch::Tensor devices;    // [K, G] int64
  torch::Tensor log_probs;  // [K]: of the whole placements
};
struct JudgedPlacements {
  torch::Tensor log_probs;  // [K]
  torch::Tensor entropy;    // [K]: mean over the G decisions, nats
};

// Mirhoseini et al. 2017, section 3: an LSTM reads the groups in topological order; another one
// decides for each in the same order from the group's own encoding, the device chosen before and,
// by additive attention, all encodings. Logits are C · tanh(logit / T).
//
// Deviations: a group is described by env::Observation's columns, averaged, in place of raw output
// shapes, and its adjacency rows pass through a matrix of 64 columns; the sizes are smaller by
// default, so that two cores train it in seconds.
class ColocRlPolicy : public torch::nn::Module {
 public:
  ColocRlPolicy(const ColocRlSizes& sizes, Rng& rng);

  // Draws placements step by step, without gradients.
  [[nodiscard]] SampledPlacements Sample(const GroupFeatures& features,
                                         std::int64_t num_samples,
                                         Rng& rng);
  // The same figures for given placements [K, G], all steps at once, with gradients.
  [[nodiscard]] JudgedPlacements Judge(const GroupFeatures& features, const torch::Tensor& devices);

 private:
  [[nodiscard]] torch::Tensor Encode(const GroupFeatures& features);
  [[nodiscard]] torch::Tensor Logits(const torch::Tensor& states,
                                     const torch::Tensor& encodings,
                                     const torch::Tensor& keys);

  ColocRlSizes sizes_;
  torch::nn::Linear type_embedding_;  // [G, types] → [G, embedding]: the mean embedding
  torch::nn::Linear adjacency_;       // [G, 2 G] → [G, embedding]
  torch::nn::LSTM encoder_;
  torch::nn::LSTM decoder_;
  torch::nn::Embedding previous_device_;  // row D: nothing placed yet
  torch::nn::Linear key_;
  torch::nn::Linear query_;
  torch::nn::Linear score_;
  torch::nn::Linear head_;
};

}  // namespace opyard::agents
