#include "experiments/cli/command_line/interrupt_signals.h"

#include <atomic>

namespace opyard::experiments {
namespace {

// A signal handler takes no arguments: what it raises has to be known to the whole process.
std::atomic<InterruptFlag*> current_flag = nullptr;

void RaiseCurrentFlag(int /*signal*/) {
  if (InterruptFlag* flag = current_flag.load(std::memory_order_relaxed)) {
    flag->Raise();
  }
}

}  // namespace

InterruptSignals::InterruptSignals(InterruptFlag& flag) {
  current_flag.store(&flag);
  struct sigaction action {};
  action.sa_handler = &RaiseCurrentFlag;
  sigemptyset(&action.sa_mask);
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, &former_interrupt_);
  sigaction(SIGTERM, &action, &former_terminate_);
}

InterruptSignals::~InterruptSignals() {
  sigaction(SIGINT, &former_interrupt_, nullptr);
  sigaction(SIGTERM, &former_terminate_, nullptr);
  current_flag.store(nullptr);
}

}  // namespace opyard::experiments
