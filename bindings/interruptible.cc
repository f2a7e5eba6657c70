#include <chrono>
#include <future>

#include "bindings/bindings.h"

namespace opyard::bindings {

namespace py = pybind11;

void RunInterruptibly(InterruptFlag& interrupt, const std::function<void()>& work) {
  constexpr auto kBetweenLooks = std::chrono::milliseconds(10);
  std::future<void> done = std::async(std::launch::async, work);
  const auto is_ready = [&](std::chrono::milliseconds patience) {
    const py::gil_scoped_release released;
    return done.wait_for(patience) == std::future_status::ready;
  };
  while (!is_ready(kBetweenLooks)) {
    if (PyErr_CheckSignals() != 0) {
      const py::error_already_set keyboard_interrupt;
      interrupt.Raise();
      while (!is_ready(kBetweenLooks)) {
      }
      throw keyboard_interrupt;
    }
  }
  done.get();
}

TurnGuard::TurnGuard(std::mutex& mutex) : lock_(mutex, std::try_to_lock) {
  if (!lock_.owns_lock()) {
    const py::gil_scoped_release released;
    lock_.lock();
  }
}

}  // namespace opyard::bindings
