// Stopwatch of a piece of work: wall time, and the processor time of the thread that does it.
#pragma once

#include <chrono>

#include "sim/base/thread_clock.h"

namespace opyard {

// Runs from its construction on. Used by the thread that made it.
class Stopwatch {
 public:
  Stopwatch()
      : start_(std::chrono::steady_clock::now()),
        clock_(ThreadClock::OfThisThread()),
        cpu_start_s_(clock_.seconds()) {}

  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  // The processor time of this thread alone.
  [[nodiscard]] double cpu_seconds() const { return clock_.seconds() - cpu_start_s_; }

 private:
  std::chrono::steady_clock::time_point start_;
  ThreadClock clock_;
  double cpu_start_s_;
};

}  // namespace opyard
