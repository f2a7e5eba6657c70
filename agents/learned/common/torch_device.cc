#include "agents/learned/common/torch_device.h"

#include "sim/base/error.h"

namespace opyard::agents {

torch::Device RequireDevice(NetworkDevice device) {
  if (device == NetworkDevice::kCpu) {
    return torch::kCPU;
  }
  if (!torch::cuda::is_available()) {
    throw InputError("device: found cuda, but this LibTorch (" TORCH_VERSION
                     ") sees no CUDA device; use device: cpu, or install a PyTorch with CUDA");
  }
  return {torch::kCUDA, 0};
}

}  // namespace opyard::agents
