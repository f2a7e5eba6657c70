#include "agents/learned/common/libtorch_check.h"

#include <string>

#include <torch/torch.h>

#include "sim/base/error.h"

namespace opyard::agents {
namespace {

// The sum of [2, 3] ones times [3, 2] ones is 12, and each of the first has the gradient 2.
bool Computes() {
  const torch::Tensor a = torch::ones({2, 3}, torch::requires_grad());
  const torch::Tensor sum = torch::matmul(a, torch::ones({3, 2})).sum();
  sum.backward();
  return sum.item<float>() == 12.0F && torch::equal(a.grad(), torch::full({2, 3}, 2.0F));
}

std::string Check() {
  try {
    if (!Computes()) {
      throw InputError("LibTorch " TORCH_VERSION " computes wrong values; install PyTorch again");
    }
    const auto num_devices = static_cast<int>(torch::cuda::device_count());
    return "LibTorch " TORCH_VERSION " computes on the CPU; CUDA devices: " +
           std::to_string(num_devices);
  } catch (const c10::Error& error) {
    throw InputError(std::string("LibTorch " TORCH_VERSION " does not compute: ") +
                     error.what_without_backtrace());
  }
}

}  // namespace

AgentCheck LibTorchCheck() {
  return {.name = "LibTorch", .run = Check};
}

}  // namespace opyard::agents
