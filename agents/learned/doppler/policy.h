// DOPPLER's two policies: which ready node is next, and which device it goes to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/doppler/message_passing.h"
#include "agents/learned/doppler/settings.h"
#include "agents/learned/doppler/view.h"
#include "sim/base/rng.h"

namespace opyard::agents::doppler {

// The input that all decisions on one problem share, for the weights as they are; made once per
// update. width = sizes.hidden.
struct PolicyInput {
  torch::Tensor select_nodes;   // [N, width]: embeddings of SELECT
  torch::Tensor bottom_paths;   // [N, width]: sums of them along the longest paths to a sink
  torch::Tensor top_paths;      // [N, width]: and to a source
  torch::Tensor place_nodes;    // [N, width]: embeddings of PLACE
  torch::Tensor place_columns;  // [N, width]: layer over the columns of a node

  // All of them, in this order.
  [[nodiscard]] std::vector<torch::Tensor> tensors() const;
};

// The ready nodes of R decisions, of one or of several episodes: C candidates.
struct SelectBatch {
  torch::Tensor node;    // int64 [C]
  torch::Tensor row;     // int64 [C]: whose decision, ascending
  torch::Tensor column;  // int64 [C]: which candidate of that decision
  torch::Tensor mask;    // bool [R, M]: whether the decision has so many candidates
};
[[nodiscard]] SelectBatch MakeSelectBatch(
    const std::vector<std::span<const std::int64_t>>& candidates, torch::Device device);

// R nodes that are to be placed.
struct PlaceBatch {
  torch::Tensor node;       // int64 [R]
  torch::Tensor device_x;   // [R, D, columns]: PartialSchedule::AppendDeviceFeatures
  torch::Tensor on_device;  // [R, D, N]: 1 where the node is placed there already
};

// Yao et al. 2026 ("DOPPLER: dual-policy learning for device assignment in asynchronous dataflow
// graphs", ICLR 2026), as scheduler/rl_agent.py of the published code has it. Each policy has a
// message-passing network of its own (message_passing.h), which runs once for all decisions.
//   SELECT: the logit of a ready node is a layer over [W std(x_v); h_v; std(p_v); std(q_v)], where
//           std standardises over the nodes that are ready, and x are the columns of a node
//           (view.h). Sums of h along the longest path from v to a sink, p, and to a source, q, are
//           standardised over all nodes before.
//   PLACE:  the logit of a device d is a layer over [U std(y_d); V x_v; h_v; std(s_d)], where std
//           standardises over the devices that v may use, y are the columns of d (schedule.h), and
//           s_d is the sum of h over the nodes on d.
// All layers but the last are followed by LeakyReLU of slope 0.1.
//
// Deviations: p and q of a node are its own; the published code takes those of the node that stands
// at its place in the order of a depth-first search. Deviations are √(variance + 1e-6), and those
// over paths divide by N. A link has its seconds in both directions; the published code takes those
// of the node that a message comes from. Logits have no bias, which a softmax would not see.
// Weights are Glorot-uniform.
class Policy : public torch::nn::Module {
 public:
  Policy(const Sizes& sizes, Rng& rng);

  // REQUIRES: network, view and batches lie on one device.
  [[nodiscard]] PolicyInput PolicyInputOf(const View& view);
  // The log-probability of each candidate, [R, M]; −1e9 where there is none.
  [[nodiscard]] torch::Tensor SelectLogProbs(const View& view,
                                             const PolicyInput& input,
                                             const SelectBatch& batch);
  // The log-probability of each device, [R, D]; −1e9 where the node may not be.
  [[nodiscard]] torch::Tensor PlaceLogProbs(const View& view,
                                            const PolicyInput& input,
                                            const PlaceBatch& batch);

  [[nodiscard]] const Sizes& sizes() const { return sizes_; }

 private:
  Sizes sizes_;
  std::shared_ptr<MessagePassing> select_graph_;
  torch::nn::Linear select_columns_;  // W
  torch::nn::Linear select_hidden_;
  torch::nn::Linear select_logit_;
  std::shared_ptr<MessagePassing> place_graph_;
  torch::nn::Linear place_devices_;  // U
  torch::nn::Linear place_columns_;  // V
  torch::nn::Linear place_hidden_;
  torch::nn::Linear place_logit_;
};

}  // namespace opyard::agents::doppler
