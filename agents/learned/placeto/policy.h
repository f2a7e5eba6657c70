// Placeto's network: which device a node goes to, as the rest is placed.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/placeto/settings.h"
#include "agents/learned/placeto/view.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// What a node says of itself: cost, output, done, current, start, memory; then its device, one-hot.
inline constexpr std::int64_t kPlacetoColumns = 6;

// Addanki et al. 2019, section 3: nodes tell their neighbours, round after round, what they say and
// have heard: h ← W x + g(Σ f(h)), from the sources on and from the sinks back, each with an f and
// a g of its own, which all rounds share. What the current node's ancestors, its descendants and
// the nodes parallel to it have come to is pooled, g(Σ f(h)) again with an f and a g for each, and
// a head of two hidden layers reads it beside the node's own. f and g have one hidden layer.
//
// Deviation: by default Σ is a mean, so that neither the depth nor the size of a graph drives
// logits away from 0.
class PlacetoPolicy : public torch::nn::Module {
 public:
  // REQUIRES: sizes.num_devices > 0.
  PlacetoPolicy(const PlacetoSizes& sizes, Rng& rng);

  // The log-probability of each device for node nodes[t] in state t, `states` [T, G, 6 + D] → [T,
  // D]; −1e9 where the node may not be.
  [[nodiscard]] torch::Tensor LogProbs(const PlacetoView& view,
                                       const torch::Tensor& states,
                                       const std::vector<std::int64_t>& nodes);

  // What the nodes have come to after all rounds: [T, G, 2 · width].
  [[nodiscard]] torch::Tensor Embed(const PlacetoView& view, const torch::Tensor& states);

  [[nodiscard]] const PlacetoSizes& sizes() const { return sizes_; }

 private:
  struct Aggregator {
    torch::nn::Sequential f;
    torch::nn::Sequential g;
  };

  // f and g of `width`, registered under `name`.
  [[nodiscard]] Aggregator Register(const std::string& name, std::int64_t width);
  // `own` [T, G, width] → what they have come to after all rounds, of the same shape.
  [[nodiscard]] torch::Tensor Pass(const torch::Tensor& own,
                                   const SparseEdges& edges,
                                   Aggregator& aggregator) const;

  PlacetoSizes sizes_;
  torch::nn::Linear own_;  // W
  Aggregator from_sources_;
  Aggregator from_sinks_;
  std::array<Aggregator, kNumPools> pools_;
  torch::nn::Sequential head_;
};

}  // namespace opyard::agents
