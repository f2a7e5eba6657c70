// REGAL's policy: what it thinks of each gene's distribution.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <torch/torch.h>

#include "agents/learned/regal/op_encoders.h"
#include "agents/learned/regal/settings.h"
#include "agents/learned/regal/view.h"
#include "sim/base/rng.h"

namespace opyard::agents::regal {

// An encoder of the ops (op_encoders.h) and heads over ops. The bins of an op's affinity to a
// device come from both together, for any number of devices.
//   Op:        v              = ReLU(W [op; mean over the ops of the graph] + b).
//   Affinity:  affinity(v, d) = A Δ_d ReLU(B v + C device_x(d) + c) + a.
//   Priority:  priority(v)    = A' Δ_v ReLU(B' v + c') + a'.
// Here Δ is the difference from the mean over the devices, or the ops, divided by its root mean
// square. Only how affinities, and priorities, differ decides anything, and what they have in
// common would be most of what a training steps along. The logits of a group are the means of those
// of its ops, so that a large group is seen as its ops are, and to them the prior of each bin is
// added (Sizes::spread). All output matrices begin at 0, so that a fresh network proposes the
// prior. Heads for what the network does not propose (Sizes) do not exist.
class Policy : public torch::nn::Module {
 public:
  Policy(const Sizes& sizes, Rng& rng);

  // The log-probability of each bin of each decision (view.h), [decisions, bins]; decisions are
  // independent of each other.
  [[nodiscard]] torch::Tensor Forward(const View& view);

  [[nodiscard]] const Sizes& sizes() const { return sizes_; }

 private:
  // Two matrices that end in logits.
  struct Head {
    torch::nn::Linear inner{nullptr};
    torch::nn::Linear outer{nullptr};
  };
  Head MakeHead(const std::string& name, std::int64_t choices);

  // The logits before the prior, [G, columns, 2 bins]. `ops`: [N, hidden].
  [[nodiscard]] torch::Tensor AffinityLogits(const View& view, const torch::Tensor& ops);
  [[nodiscard]] torch::Tensor PriorityLogits(const View& view, const torch::Tensor& ops);

  Sizes sizes_;
  std::shared_ptr<MessageEncoder> messages_;  // one of the two is null
  std::shared_ptr<SequenceEncoder> sequence_;
  torch::nn::Linear ops_;
  torch::nn::Linear devices_{nullptr};
  Head affinity_;
  Head priority_;
  Head elite_bias_;
  torch::Tensor prior_;  // [2, bins]: of means, of variances
};

// The values of decisions, in (0, 1): the mean of a gene, or its variance as a share of the
// greatest that a distribution with this mean can have. Bin i of B is (i + 1/2) / B. float64
// [decisions], on the CPU: of bins, int64 [decisions], and those to be expected of `log_probs`,
// [decisions, B].
[[nodiscard]] torch::Tensor MiddlesOf(const torch::Tensor& bins, std::int64_t num_bins);
[[nodiscard]] torch::Tensor ExpectedMiddles(const torch::Tensor& log_probs);

}  // namespace opyard::agents::regal
