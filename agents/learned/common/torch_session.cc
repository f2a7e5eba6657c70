#include "agents/learned/common/torch_session.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace opyard::agents {

TorchSession::TorchSession(int num_threads, NetworkDevice device)
    : threads_before_(at::get_num_threads()) {
  at::set_num_threads(num_threads);
#ifdef __GLIBC__
  constexpr int kKeptBytes = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kKeptBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
#endif
  if (device == NetworkDevice::kCuda) {
    at::globalContext().setFloat32Precision(
        at::Float32Backend::CUDA, at::Float32Op::RNN, at::Float32Precision::IEEE);
  }
}

TorchSession::~TorchSession() {
  at::set_num_threads(threads_before_);
}

}  // namespace opyard::agents
