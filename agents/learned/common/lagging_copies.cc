#include "agents/learned/common/lagging_copies.h"

namespace opyard::agents {

void CopyWeights(const torch::nn::Module& from, torch::nn::Module& to) {
  const torch::NoGradGuard no_grad;
  const auto weights = from.named_parameters();
  for (auto& item : to.named_parameters()) {
    item.value().copy_(weights[item.key()]);
  }
}

void MoveGradients(torch::nn::Module& from, torch::nn::Module& to) {
  auto sources = from.named_parameters();
  for (auto& item : to.named_parameters()) {
    torch::Tensor& source = sources[item.key()];
    item.value().mutable_grad() = source.grad();
    source.mutable_grad() = torch::Tensor();
  }
}

}  // namespace opyard::agents
