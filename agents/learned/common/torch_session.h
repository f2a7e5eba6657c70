// Settings of LibTorch while an agent trains.
#pragma once

#include "agents/learned/common/network_device.h"

namespace opyard::agents {

// While it lives, LibTorch computes with `num_threads` in this thread. The last bits of a sum
// depend on them, so that one is the default of every agent: the same plans on every machine.
//
// It also makes malloc keep, for the whole process and for good, blocks of up to 1 GiB instead
// of returning each to the system: the same buffers are wanted in every update. Measured on
// reinforce_lstm with 300 groups: 6.3 → 4.3 seconds of CPU per 100 evaluations.
//
// On CUDA it makes cuDNN likewise, for the whole process and for good, compute LSTMs in
// float32: its own default, TF32, keeps three digits.
class TorchSession {
 public:
  explicit TorchSession(int num_threads, NetworkDevice device = NetworkDevice::kCpu);
  ~TorchSession();
  TorchSession(const TorchSession&) = delete;
  TorchSession& operator=(const TorchSession&) = delete;

 private:
  int threads_before_;
};

}  // namespace opyard::agents
