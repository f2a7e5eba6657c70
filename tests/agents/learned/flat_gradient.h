// The gradient of a network as one vector.
#pragma once

#include <vector>

#include <torch/torch.h>

namespace opyard::agents::testing {

// The gradients of `value`, [], for the parameters that it depends on, one after the other.
inline torch::Tensor FlatGradient(torch::nn::Module& policy, const torch::Tensor& value) {
  policy.zero_grad();
  value.backward();
  std::vector<torch::Tensor> parts;
  for (const torch::Tensor& parameter : policy.parameters()) {
    if (parameter.grad().defined()) {
      parts.push_back(parameter.grad().flatten());
    }
  }
  return torch::cat(parts);
}

}  // namespace opyard::agents::testing
