// The parts of REINFORCE that agents share: choices under a mask, the loss, and its baseline.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <torch/torch.h>

#include "sim/base/rng.h"

namespace opyard::agents {

// log softmax over the last dimension, [..., D]; −1e9 where `mask` (bool, broadcastable) is false,
// which is probability 0 in float32. REQUIRES: each row allows something.
[[nodiscard]] torch::Tensor MaskedLogProbs(const torch::Tensor& logits, const torch::Tensor& mask);

// Log-probabilities of p^(1 / temperature) for those of p, over the last dimension.
[[nodiscard]] torch::Tensor Sharpened(const torch::Tensor& log_probs, double temperature);

// Σ −p log p over the last dimension: [..., D] → [...], in nats.
[[nodiscard]] torch::Tensor Entropy(const torch::Tensor& log_probs);

// The choice whose part of [0, Σ `probs`) holds `sampled`. The last choice with a probability
// stands in where rounding leaves nothing above `sampled`.
[[nodiscard]] std::int64_t ChoiceAt(std::span<const double> probs, double sampled);

// One choice per row of `log_probs` [K, D], sampled from `rng` row after row: int64 [K]. LibTorch's
// own generator is one per process, so that searches in parallel would disturb each other. Sampled
// on the CPU; the choices lie where `log_probs` do.
[[nodiscard]] torch::Tensor SampleChoices(const torch::Tensor& log_probs, Rng& rng);
// The same `num_samples` times over: int64 [num_samples, K], each sample sampled row after row.
[[nodiscard]] torch::Tensor SampleChoices(const torch::Tensor& log_probs,
                                          std::int64_t num_samples,
                                          Rng& rng);

// − mean over the samples of advantage · log-probability, [K] and [K] → []. Its gradient is an
// unbiased estimate of minus the gradient of the expected reward, if the advantages are reward −
// baseline and the baseline does not depend on the samples.
[[nodiscard]] torch::Tensor ReinforceLoss(const torch::Tensor& log_probs,
                                          const torch::Tensor& advantages);

// Divides the advantages of one update by their root mean square, so that steps and the weight of
// the entropy mean the same on every problem and at every stage of a training. Leaves them as they
// are if it is below 1e-9: rewards that differ by rounding alone carry no information.
void Normalise(std::span<double> advantages);

// The ranks of rewards, [K], as advantages: evenly from −√3 for the least to √3 for the greatest,
// equal rewards in the middle of their ranks; all 0 where all are equal. Their mean is 0, whatever
// the rewards are, so that one failure does not drown the rest.
[[nodiscard]] std::vector<double> RankAdvantages(std::span<const double> rewards);

// Fills all parameters from `rng`, in their order: matrices Glorot-uniform, vectors zero.
void InitialiseWeights(torch::nn::Module& module, Rng& rng);

// An exponential moving average of the rewards of plans that completed; failures never move it.
class RewardBaseline {
 public:
  explicit RewardBaseline(double decay) : decay_(decay) {}

  // Once per update. The first rewards set it, the later ones move it by 1 − decay to their mean.
  void Move(std::span<const double> rewards_of_completed);
  // Nothing before the first plan that completed.
  [[nodiscard]] std::optional<double> value() const { return value_; }
  void set_value(std::optional<double> value) { value_ = value; }

 private:
  double decay_;
  std::optional<double> value_;
};

}  // namespace opyard::agents
