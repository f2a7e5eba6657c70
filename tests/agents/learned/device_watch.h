// A check, without a second device, that tensors lie where they must.
#pragma once

#include <torch/library.h>
#include <torch/torch.h>

namespace opyard::agents::testing {

// While it lives, each operation that this thread calls, and each of its backward passes, must be
// given tensors of one device, as a GPU asks for: any other throws std::runtime_error with its
// name. Numbers, which are tensors without dimensions, may come from the CPU, and copies may go
// between devices.
//
// The other device is LibTorch's `meta`, whose tensors have shapes and no values. Its own kernels
// report hardly more than half of what a GPU refuses, and none reads a value. While the watch
// lives, a value that is read of it is 0, and a mask selects everything. One watch at a time.
class DeviceWatch {
 public:
  DeviceWatch();

 private:
  torch::Library fallback_;  // for all operations
  torch::Library kernels_;   // of `meta`
  c10::impl::IncludeDispatchKeyGuard watched_;
};

// Module::to cannot: it leaves parameters where they are and changes what they hold, which LibTorch
// allows between devices with values only. Before the first forward pass.
void MoveToMeta(const torch::nn::Module& module);

}  // namespace opyard::agents::testing
