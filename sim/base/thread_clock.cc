#include "sim/base/thread_clock.h"

#include <pthread.h>

#include "sim/base/check.h"

namespace opyard {

ThreadClock ThreadClock::OfThisThread() {
  clockid_t id = 0;
  OPYARD_CHECK(pthread_getcpuclockid(pthread_self(), &id) == 0, "every thread has a clock");
  return ThreadClock(id);
}

double ThreadClock::seconds() const {
  timespec spent{};
  OPYARD_CHECK(clock_gettime(id_, &spent) == 0, "the thread still runs");
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) * 1e-9;
}

}  // namespace opyard
