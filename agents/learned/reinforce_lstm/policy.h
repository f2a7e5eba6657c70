// ColocRL's network: which device each group goes to, one group after the other.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "agents/learned/common/group_features.h"
#include "agents/learned/common/ppo.h"
#include "agents/learned/reinforce_lstm/settings.h"
#include "sim/base/rng.h"

namespace opyard::agents::reinforce_lstm {

// K samples, G groups, D devices. All tensors lie where the features do, and the network must.
struct SampledPlacements {
  torch::Tensor devices;       // [K, G] int64
  torch::Tensor log_probs;     // [K]: of the whole placements
  SampledDecisions decisions;  // [K, G]: of each device
};
struct PlacementLogProbs {
  torch::Tensor log_probs;           // [K]
  torch::Tensor decision_log_probs;  // [K, G]
  torch::Tensor entropy;             // [K]: mean over the G decisions, nats
};

// Mirhoseini et al. 2017, section 3: an LSTM reads the groups in topological order; another one
// decides for each in the same order from the group's own encoding, the device chosen before and,
// by additive attention, all encodings. Logits are C · tanh(logit / T).
//
// A `faithful` network reads of a group the mean embedding of its types, its mean output shapes and
// its adjacency rows; its decoder begins with the encoder's last state and reads the last device.
//
// Deviations, unless `faithful`: a group is described by env::Observation's columns, averaged, and
// by the mean of what is next to it (`adjacency`; rows of the matrix pass through another one of 64
// columns). The decoder also reads the encoding of the group that it places, and begins with zeros.
// The same weights serve every problem: a pointer chooses devices, in place of an output layer with
// a row per device. Its logits are logit(d) = ⟨W_q [state; context], LN(e(d))⟩ / √A with
// e(d) = W device_x(d) + s, s the embedding of the slot of d among the devices of its kind. LN, a
// layer norm without weights, keeps keys from vanishing: where queries and keys are both learnt
// freely, a bonus for entropy drives both to 0, where neither has a gradient. Slots beyond the 32nd
// share embeddings. The sizes are smaller by default, so that two cores train it in seconds.
class Policy : public torch::nn::Module {
 public:
  Policy(const Sizes& sizes, Rng& rng);

  // Samples placements step by step, without gradients.
  [[nodiscard]] SampledPlacements Sample(const GroupFeatures& features,
                                         std::int64_t num_samples,
                                         Rng& rng);
  // The same figures for given placements [K, G], all steps at once, with gradients.
  [[nodiscard]] PlacementLogProbs EvaluateActions(const GroupFeatures& features,
                                                  const torch::Tensor& devices);

  [[nodiscard]] const Sizes& sizes() const { return sizes_; }

 private:
  // The input that every step of a placement reads.
  struct EncodedGroups {
    torch::Tensor encodings;    // [G, hidden], of the groups
    torch::Tensor keys;         // [G, attention], of the groups
    torch::Tensor choices;      // [D + 1, attention]: the devices, then nothing placed yet
    torch::Tensor device_keys;  // [D, attention]; not of a faithful network
    std::tuple<torch::Tensor, torch::Tensor> state;  // 2 × [1, 1, hidden]: where decoding begins
    std::int64_t num_devices = 0;
  };

  void RegisterAll();
  [[nodiscard]] EncodedGroups Encode(const GroupFeatures& features);
  [[nodiscard]] torch::Tensor Surroundings(const GroupFeatures& features, const torch::Tensor& own);
  [[nodiscard]] torch::Tensor Logits(const torch::Tensor& states, const EncodedGroups& encoded);
  // The decoder's state before the first step of K placements: 2 × [1, K, hidden].
  [[nodiscard]] std::tuple<torch::Tensor, torch::Tensor> BeginOf(const EncodedGroups& encoded,
                                                                 std::int64_t num_samples) const;
  // The input of the decoder in steps [first, first + S) after `previous` [K, S]: [K, S, input].
  [[nodiscard]] torch::Tensor Inputs(const EncodedGroups& encoded,
                                     const torch::Tensor& previous,
                                     std::int64_t first) const;

  Sizes sizes_;
  torch::nn::Linear type_embedding_;  // [G, types] → [G, embedding]: the mean embedding
  torch::nn::Linear surroundings_;  // [G, …] → [G, embedding]: what is next to a group; not of a
                                    // faithful network that reads adjacency rows
  torch::nn::LSTM encoder_;
  torch::nn::LSTM decoder_;
  torch::nn::Linear key_;
  torch::nn::Linear query_;
  torch::nn::Linear score_;
  torch::nn::Linear head_;
  torch::nn::Embedding choice_;         // faithful: a row per device; else that of nothing placed
  torch::nn::Linear device_embedding_;  // [D, device features] → [D, attention]
  torch::nn::Embedding slot_;           // [32, attention]
};

}  // namespace opyard::agents::reinforce_lstm
