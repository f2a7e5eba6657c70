// The device that a network computes on. Needs no LibTorch.
#pragma once

#include <cstdint>

namespace opyard::agents {

enum class NetworkDevice : std::uint8_t {
  kCpu,
  kCuda,  // the first CUDA device that LibTorch sees
};

}  // namespace opyard::agents
