// Placeto's network: which device a node goes to, as the rest is placed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/placeto/settings.h"
#include "agents/learned/placeto/view.h"
#include "sim/base/rng.h"

namespace opyard::agents::placeto {

// Columns of a node's state: cost, output, done, current, start, memory; then its device, one-hot.
inline constexpr std::int64_t kColumns = 6;

// Several networks with one hidden layer each, of equal widths, that compute at once: one operation
// in place of several, of which each costs more than its arithmetic.
struct StackedLayers {
  torch::Tensor hidden_weight;  // [networks, in, hidden]
  torch::Tensor hidden_bias;    // [networks, 1, hidden]
  torch::Tensor weight;         // [networks, hidden, out]
  torch::Tensor bias;           // [networks, 1, out]

  // [networks, rows, in] → [networks, rows, out].
  [[nodiscard]] torch::Tensor Apply(const torch::Tensor& rows) const;
};

// The input that all steps on one problem share, for the weights as they are.
struct PolicyInput {
  const View* view = nullptr;
  StackedLayers message;       // f of both directions: from the sources, from the sinks
  StackedLayers update;        // g of both
  StackedLayers pool_message;  // f of the pools, in the order of Pool
  StackedLayers pool_update;   // g of the pools
  torch::Tensor devices;       // [D, width]; not of a faithful network
};

// Addanki et al. 2019, section 3. Nodes pass messages to their neighbours, round after round, of
// their own state and of what they receive: h ← W x + g(Σ f(h)), from the sources on and from the
// sinks back. Each direction has an f and a g of its own, which all rounds share. The results of
// the current node's ancestors, of its descendants and of the nodes parallel to it are pooled,
// g(Σ f(h)) again with an f and a g for each. A head of two hidden layers reads the pools beside
// the node's own result. The networks f and g have one hidden layer.
//
// Deviations: by default Σ is a mean, so that neither the depth nor the size of a graph drives
// logits away from 0. Unless `faithful`, the same weights serve any number of devices. A device is
// e(d) = LN(W_d device_x(d) + s), s the embedding of its slot among the devices of its kind. A node
// says e of its device in place of the one-hot columns, and the head has a pointer,
// logit(d) = ⟨query, e(d)⟩ / √width, in place of an output per device. LN, a layer norm without
// weights, keeps e from vanishing. Slots beyond the 32nd share embeddings. `moves` adds
// max(0, ln((G / moves − 1) · (n − 1))) to the logit of the device where a node is, of n that it
// may use, if a pass visits G.
//
// `layers` may be as published (aravic/generalizable-device-placement, model/nn_primitives.py and
// mp_progressive_nn.py). W then has two hidden layers of the width of its input, and each f and g
// ends with a ReLU. A node without neighbours in a direction gets no message from there, and the
// hidden layers of the head are 16 and 8 times the width.
//
// Inside, nodes come before states: a node's rows of all states lie together, so that one copy
// takes them along an edge, and both directions are one batch.
class Policy : public torch::nn::Module {
 public:
  // REQUIRES: sizes.num_devices > 0 of a faithful network.
  Policy(const Sizes& sizes, Rng& rng);

  // REQUIRES: the view outlives the input.
  [[nodiscard]] PolicyInput PolicyInputOf(const View& view);

  // The log-probability of each device for node nodes[t] in state t, `states` [T, G, 6 + D] → [T,
  // D]; −1e9 where the node may not be. REQUIRES: network, view and states lie on one device.
  [[nodiscard]] torch::Tensor LogProbs(const PolicyInput& input,
                                       const torch::Tensor& states,
                                       const std::vector<std::int64_t>& nodes);

  // The embeddings of the nodes after all rounds: [T, G, 6 + D] → [G, T, 2 · width].
  [[nodiscard]] torch::Tensor Embed(const PolicyInput& input, const torch::Tensor& states);

  [[nodiscard]] const Sizes& sizes() const { return sizes_; }

 private:
  struct Aggregator {
    torch::nn::Sequential f;
    torch::nn::Sequential g;
  };

  void RegisterOwn();
  void RegisterHead();
  // The output of W for `columns`, [..., in] → [..., width].
  [[nodiscard]] torch::Tensor TransformOwn(const torch::Tensor& columns);
  // The outputs of `networks`, with a ReLU behind them as published.
  [[nodiscard]] torch::Tensor Apply(const StackedLayers& networks, const torch::Tensor& rows) const;
  // f and g of `width`, registered under `name`.
  [[nodiscard]] Aggregator Register(const std::string& name, std::int64_t width);
  // The term that `moves` adds to the logits of node nodes[t] in state t, `mask` [T, D] → [T, D].
  [[nodiscard]] torch::Tensor StayLogits(const View& view,
                                         const torch::Tensor& states,
                                         const torch::Tensor& nodes,
                                         const torch::Tensor& mask) const;
  // The term W x of all nodes, [T, G, 6 + D] → [T, G, width].
  [[nodiscard]] torch::Tensor Own(const PolicyInput& input, const torch::Tensor& states);
  // The results of the pools of nodes[t] in state t, `embeddings` [G, T, 2 · width] → [3, T, 2 ·
  // width].
  [[nodiscard]] torch::Tensor PoolsOf(const PolicyInput& input,
                                      const torch::Tensor& embeddings,
                                      const std::vector<std::int64_t>& nodes) const;

  Sizes sizes_;
  torch::nn::Linear own_;                         // W of compact layers
  torch::nn::Sequential published_own_{nullptr};  // W of published ones
  Aggregator from_sources_;
  Aggregator from_sinks_;
  std::array<Aggregator, kNumPools> pools_;
  torch::nn::Sequential head_{nullptr};
  torch::nn::Linear device_embedding_;  // W_d; not of a faithful network, like the next
  torch::nn::Embedding slot_;           // [32, width]
};

}  // namespace opyard::agents::placeto
