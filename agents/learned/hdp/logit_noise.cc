#include "agents/learned/hdp/logit_noise.h"

#include <vector>

namespace opyard::agents::hdp {

torch::Tensor StandardNormal(torch::IntArrayRef shape, Rng& rng) {
  torch::Tensor normal = torch::empty(shape);
  float* const values = normal.data_ptr<float>();
  for (std::int64_t i = 0; i < normal.numel(); ++i) {
    values[i] = static_cast<float>(rng.Normal());
  }
  return normal;
}

LogitNoise Select(const LogitNoise& noise, const torch::Tensor& samples) {
  if (!noise.is_on()) {
    return {};
  }
  return {.relative_std = noise.relative_std,
          .groups = noise.groups.defined() ? noise.groups.index_select(0, samples) : noise.groups,
          .devices = noise.devices.index_select(0, samples)};
}

torch::Tensor WithNoise(const torch::Tensor& logits,
                        const torch::Tensor& normal,
                        double relative_std,
                        torch::IntArrayRef over) {
  const torch::Tensor root_mean_square = logits.square().mean(over, /*keepdim=*/true).sqrt();
  return logits + relative_std * root_mean_square * normal;
}

}  // namespace opyard::agents::hdp
