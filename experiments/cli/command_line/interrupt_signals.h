// Turns SIGINT and SIGTERM into a raised InterruptFlag.
#pragma once

#include <csignal>

#include "sim/base/interrupt.h"

namespace opyard::experiments {

// While an instance lives, the first SIGINT or SIGTERM raises `flag`; a second one ends the process
// as if nobody had caught it. The former handlers come back with the destructor. One instance at a
// time per process: signals are the process's.
class InterruptSignals {
 public:
  explicit InterruptSignals(InterruptFlag& flag);
  ~InterruptSignals();
  InterruptSignals(const InterruptSignals&) = delete;
  InterruptSignals& operator=(const InterruptSignals&) = delete;

 private:
  struct sigaction former_interrupt_ {};
  struct sigaction former_terminate_ {};
};

}  // namespace opyard::experiments
