#include "bindings/interruptible.h"

#include <chrono>
#include <future>

#include "bindings/bindings.h"

namespace opyard::bindings {

namespace py = pybind11;

void RunInterruptibly(InterruptFlag& interrupt, const std::function<void()>& work) {
  RunInterruptibly(interrupt, work, [] {});
}

void RunInterruptibly(InterruptFlag& interrupt,
                      const std::function<void()>& work,
                      const std::function<void()>& between) {
  constexpr auto kBetweenLooks = std::chrono::milliseconds(10);
  std::future<void> done = std::async(std::launch::async, work);
  const auto is_ready = [&](std::chrono::milliseconds patience) {
    const py::gil_scoped_release released;
    return done.wait_for(patience) == std::future_status::ready;
  };
  while (!is_ready(kBetweenLooks)) {
    try {
      if (PyErr_CheckSignals() != 0) {
        throw py::error_already_set();
      }
      between();
    } catch (const py::error_already_set&) {
      interrupt.Raise();
      while (!is_ready(kBetweenLooks)) {
      }
      throw;
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
