#include "sim/base/thread_clock.h"

#include <thread>

#include <gtest/gtest.h>

namespace opyard {
namespace {

// Until this thread has spent `seconds` more.
void Work(double seconds) {
  const ThreadClock clock = ThreadClock::OfThisThread();
  const double end = clock.seconds() + seconds;
  while (clock.seconds() < end) {
  }
}

TEST(ThreadClockTest, GoesOnWhileItsThreadWorks) {
  const ThreadClock clock = ThreadClock::OfThisThread();
  const double begin = clock.seconds();
  Work(0.02);
  EXPECT_GE(clock.seconds() - begin, 0.02);
}

TEST(ThreadClockTest, CountsNoOtherThread) {
  const ThreadClock clock = ThreadClock::OfThisThread();
  const double begin = clock.seconds();
  std::thread([] { Work(0.2); }).join();
  EXPECT_LT(clock.seconds() - begin, 0.1);  // starting a thread and waiting for it: microseconds
}

}  // namespace
}  // namespace opyard
