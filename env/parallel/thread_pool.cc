#include "env/parallel/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <sched.h>

#include "sim/base/check.h"
#include "sim/base/thread_clock.h"

namespace opyard::env {
namespace {

using Work = std::function<bool(std::size_t worker, std::size_t item)>;

// One call of ForEach: items are taken in order, so that what was taken is always a prefix.
class Batch {
 public:
  Batch(std::size_t count, const Work& work) : count_(count), work_(work) {}

  // Takes items until none is left or some item ended the batch.
  void Run(std::size_t worker) {
    while (!is_ended_.load()) {
      const std::size_t item = next_.fetch_add(1);
      if (item >= count_) {
        return;
      }
      RunItem(worker, item);
    }
  }

  [[nodiscard]] std::size_t num_taken() const { return std::min(next_.load(), count_); }

  void RethrowIfAny() const {
    if (error_) {
      std::rethrow_exception(error_);
    }
  }

 private:
  void RunItem(std::size_t worker, std::size_t item) {
    try {
      if (!work_(worker, item)) {
        is_ended_.store(true);
      }
    } catch (...) {
      is_ended_.store(true);
      KeepError(item);
    }
  }

  // Whatever item throws, the items before it were taken and run to their end: the lowest one that
  // throws does not depend on timing.
  void KeepError(std::size_t item) {
    const std::lock_guard lock(error_mutex_);
    if (!error_ || item < error_item_) {
      error_ = std::current_exception();
      error_item_ = item;
    }
  }

  const std::size_t count_;
  const Work& work_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> is_ended_ = false;
  std::mutex error_mutex_;
  std::exception_ptr error_;
  std::size_t error_item_ = 0;
};

}  // namespace

struct ThreadPool::Workers {
  explicit Workers(std::size_t num_threads) : threads(num_threads) {}

  // Has `num_helpers` threads of the pool run `batch` as workers 1, 2, …
  void Start(Batch& batch, std::size_t num_helpers) {
    num_running = num_helpers;
    for (std::size_t worker = 1; worker <= num_helpers; ++worker) {
      boost::asio::post(threads, [this, &batch, worker] {
        batch.Run(worker);
        const std::lock_guard lock(mutex);
        clocks.try_emplace(std::this_thread::get_id(), ThreadClock::OfThisThread());
        if (--num_running == 0) {
          all_ended.notify_one();
        }
      });
    }
  }

  void Wait() {
    std::unique_lock lock(mutex);
    all_ended.wait(lock, [this] { return num_running == 0; });
  }

  [[nodiscard]] double cpu_seconds() {
    const std::lock_guard lock(mutex);
    double seconds = 0.0;
    for (const auto& [thread, clock] : clocks) {
      seconds += clock.seconds();
    }
    return seconds;
  }

  std::mutex mutex;
  std::condition_variable all_ended;
  std::size_t num_running = 0;
  std::map<std::thread::id, ThreadClock> clocks;  // of the threads that have worked
  boost::asio::thread_pool threads;               // last: its threads end before what they use
};

ThreadPool::ThreadPool(std::size_t num_threads) : num_threads_(num_threads) {
  OPYARD_CHECK(num_threads >= 1, "a thread pool needs a thread");
  if (num_threads > 1) {
    workers_ = std::make_unique<Workers>(num_threads - 1);
  }
}

ThreadPool::~ThreadPool() = default;

std::size_t ThreadPool::ForEach(std::size_t count, const Work& work) {
  Batch batch(count, work);
  const std::size_t num_helpers = std::min(num_threads_, std::max<std::size_t>(count, 1)) - 1;
  if (num_helpers > 0) {
    workers_->Start(batch, num_helpers);
  }
  batch.Run(0);
  if (num_helpers > 0) {
    workers_->Wait();
  }
  batch.RethrowIfAny();
  return batch.num_taken();
}

double ThreadPool::cpu_seconds() const {
  return workers_ == nullptr ? 0.0 : workers_->cpu_seconds();
}

std::size_t ThreadPool::DefaultNumThreads() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) {
    return static_cast<std::size_t>(std::max(CPU_COUNT(&cores), 1));
  }
  return std::max(std::thread::hardware_concurrency(), 1U);
}

}  // namespace opyard::env
