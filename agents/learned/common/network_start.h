// The first weights of the network of a search, and the device that it computes on.
#pragma once

#include <filesystem>

#include <torch/torch.h>

namespace opyard::agents {

struct NetworkStart {
  std::filesystem::path weights;       // a file of them; empty: sampled from the search's seed
  torch::Device device = torch::kCPU;  // of the network and of all that it reads
};

}  // namespace opyard::agents
