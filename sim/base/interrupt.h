// A request to stop early, set by a signal handler or another thread and polled by long work.
#pragma once

#include <atomic>

namespace opyard {

// Lock-free, so that a signal handler may set it.
class InterruptFlag {
 public:
  void Raise() { is_raised_.store(true, std::memory_order_relaxed); }
  void Clear() { is_raised_.store(false, std::memory_order_relaxed); }
  [[nodiscard]] bool is_raised() const { return is_raised_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> is_raised_ = false;
};

}  // namespace opyard
