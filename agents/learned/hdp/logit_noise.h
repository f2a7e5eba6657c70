// Noise on the logits of HDP's grouper and placer.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "sim/base/rng.h"

namespace opyard::agents::hdp {

// The Gaussian numbers that K sampled plans of U units and G groups on D devices were sampled with.
// They belong to the plans: a plan's probability is that under the logits with its noise.
struct LogitNoise {
  double relative_std = 0.0;  // of the logits' root mean square; 0: no noise, and no tensors
  torch::Tensor groups;       // [K, U, G], of mean 0 and variance 1; undefined without a grouper
  torch::Tensor devices;      // [K, G, D], likewise

  [[nodiscard]] bool is_on() const { return relative_std > 0.0; }
};

// `shape` numbers of mean 0 and variance 1, float32, on the CPU.
[[nodiscard]] torch::Tensor StandardNormal(torch::IntArrayRef shape, Rng& rng);

// The noise of the plans `samples`, int64 [S].
[[nodiscard]] LogitNoise Select(const LogitNoise& noise, const torch::Tensor& samples);

// logits + std · RMS(logits) · normal, where the root mean square is over the dimensions `over` of
// the logits. `normal` is broadcast against them. Gradients also pass through the root mean square,
// as in the published code.
[[nodiscard]] torch::Tensor WithNoise(const torch::Tensor& logits,
                                      const torch::Tensor& normal,
                                      double relative_std,
                                      torch::IntArrayRef over);

}  // namespace opyard::agents::hdp
