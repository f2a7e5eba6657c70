// Makes the network of a learner.
#pragma once

#include <memory>

#include <torch/torch.h>

#include "sim/base/rng.h"

namespace opyard::agents {

// A network on `device`. Its weights are sampled on the CPU: the same ones for every device.
template <class Policy, class Sizes>
[[nodiscard]] std::shared_ptr<Policy> MakePolicy(const Sizes& sizes,
                                                 Rng& rng,
                                                 torch::Device device) {
  auto policy = std::make_shared<Policy>(sizes, rng);
  policy->to(device);
  return policy;
}

}  // namespace opyard::agents
