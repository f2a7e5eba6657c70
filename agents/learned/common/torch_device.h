// The devices of LibTorch that a network may compute on.
#pragma once

#include <torch/torch.h>

#include "agents/learned/common/network_device.h"

namespace opyard::agents {

// `device` as LibTorch knows it. Throws InputError if LibTorch sees no such device.
[[nodiscard]] torch::Device RequireDevice(NetworkDevice device);

}  // namespace opyard::agents
