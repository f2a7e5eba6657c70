// The processor time that one thread has spent.
#pragma once

#include <time.h>

namespace opyard {

// The clock of a thread: it goes on only while the thread runs, in the program or in the kernel for
// it. For figures about a run, never for its decisions. Copies read the same clock.
class ThreadClock {
 public:
  // The clock of the calling thread.
  [[nodiscard]] static ThreadClock OfThisThread();

  // Seconds since the thread began. From any thread. REQUIRES: the thread has not ended.
  [[nodiscard]] double seconds() const;

 private:
  explicit ThreadClock(clockid_t id) : id_(id) {}

  clockid_t id_;
};

}  // namespace opyard
