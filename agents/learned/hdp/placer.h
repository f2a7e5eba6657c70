// HDP's placer: which device each group goes to.
#pragma once

#include <torch/torch.h>

#include "agents/learned/hdp/forget_bias_lstm.h"
#include "agents/learned/hdp/grouped_graph.h"
#include "agents/learned/hdp/logit_noise.h"
#include "agents/learned/hdp/settings.h"
#include "sim/base/rng.h"

namespace opyard::agents::hdp {

// K samples, each with a grouping of its own; G groups, D devices.
struct SampledDevices {
  torch::Tensor devices;    // [K, G] int64
  torch::Tensor log_probs;  // [K, G]
};
struct DeviceLogProbs {
  torch::Tensor log_probs;  // [K, G]
  torch::Tensor entropy;    // [K]: mean over the groups that have units, nats
};

// Mirhoseini et al. 2018, section 3: an LSTM reads the groups in both directions, another one,
// which begins where it ended, places them one after the other from the device chosen before and,
// by additive attention, all encodings. Logits are C · tanh(logit / T). Forget gates begin open.
//
// A `faithful` placer is that of the published code (hierarchical_controller.py, encode and
// decode): ForgetBiasLstm, an output layer without bias, and a context that is the mean of the
// attention memory, the transformed encodings. In the memory the states of both directions stand
// side by side in the order in which they were computed: those of the second one in reverse order
// of the groups.
//
// Deviation, unless `faithful`: the decoder also reads the encoding of the group that it places, as
// ColocRL's does; without it a decoder has to count its steps to know which one that is.
//
// A flat placer has one row of logits per group instead.
class Placer : public torch::nn::Module {
 public:
  explicit Placer(const Sizes& sizes);

  // After the weights of all modules have been sampled: opens the forget gates.
  void OpenForgetGates();

  // Samples placements step by step, without gradients. Where `replayed`, int64 [K, G], is defined,
  // each group goes to its device there, or to the first that it may use if it may not use that
  // one.
  [[nodiscard]] SampledDevices Sample(const GroupedGraph& graph,
                                      const LogitNoise& noise,
                                      const torch::Tensor& replayed,
                                      Rng& rng);
  // The same figures for given placements [K, G], all steps at once, with gradients.
  [[nodiscard]] DeviceLogProbs EvaluateActions(const GroupedGraph& graph,
                                               const torch::Tensor& devices,
                                               const LogitNoise& noise);

 private:
  // The input that every step of a placement reads.
  struct PolicyInput {
    torch::Tensor encodings;                         // [K, G, hidden], of the groups, in order
    torch::Tensor attended;                          // [K, G, …]: the context is a mean of these
    torch::Tensor keys;                              // [K, 1, G, embedding], of the groups
    std::tuple<torch::Tensor, torch::Tensor> state;  // 2 × [1, K, hidden]: where decoding begins
  };

  void RegisterSequence();
  [[nodiscard]] PolicyInput Encode(const GroupedGraph& graph);
  [[nodiscard]] std::tuple<torch::Tensor, ForgetBiasLstm::State> RunEncoder(const torch::Tensor& x);
  [[nodiscard]] std::tuple<torch::Tensor, ForgetBiasLstm::State> RunDecoder(
      const torch::Tensor& inputs, const ForgetBiasLstm::State& begin);
  // The input of the decoder in steps [first, first + S) after `previous` [K, S]: [K, S, input].
  [[nodiscard]] torch::Tensor Inputs(const PolicyInput& input,
                                     const torch::Tensor& previous,
                                     std::int64_t first);
  // `states` [K, S, hidden] of S steps → [K, S, D].
  [[nodiscard]] torch::Tensor Logits(const torch::Tensor& states, const PolicyInput& input);
  [[nodiscard]] torch::Tensor Limited(const torch::Tensor& logits) const;
  // [K, G, D] of a flat placer.
  [[nodiscard]] torch::Tensor FlatLogits(const GroupedGraph& graph) const;

  Sizes sizes_;
  std::int64_t half_;                 // units of each direction of the encoder
  torch::nn::LSTM encoder_{nullptr};  // not of a faithful placer, nor the next
  torch::nn::LSTM decoder_{nullptr};
  std::shared_ptr<ForgetBiasLstm> published_encoder_;  // of a faithful placer, like the next
  std::shared_ptr<ForgetBiasLstm> published_decoder_;
  torch::nn::Embedding choice_;  // [D + 1, embedding]: the devices, then nothing placed yet
  torch::nn::Linear key_;
  torch::nn::Linear query_;
  torch::nn::Linear score_;
  torch::nn::Linear head_;
  torch::nn::Embedding row_;  // [G, D]: logits; of a flat placer alone
};

}  // namespace opyard::agents::hdp
