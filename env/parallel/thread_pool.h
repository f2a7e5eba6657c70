// The worker threads that evaluate batches.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace opyard::env {

// A fixed number of threads (Boost.Asio inside). One caller at a time.
class ThreadPool {
 public:
  // REQUIRES: num_threads >= 1. With one thread, everything runs in the caller.
  explicit ThreadPool(std::size_t num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] std::size_t num_threads() const { return num_threads_; }

  // Calls work(worker, item) for item = 0, 1, … until `count` items are taken or `work` returns
  // false, each item once, worker in [0, num_threads). Returns how many items were taken: all below
  // that index are done, none above was begun. Rethrows the exception of the lowest item that
  // threw.
  std::size_t ForEach(std::size_t count,
                      const std::function<bool(std::size_t worker, std::size_t item)>& work);

  // Seconds of processor time that the threads of the pool have spent, those of callers left out.
  // REQUIRES: no batch is under way.
  [[nodiscard]] double cpu_seconds() const;

  // One thread per core of this process.
  [[nodiscard]] static std::size_t DefaultNumThreads();

 private:
  struct Workers;
  std::size_t num_threads_;
  std::unique_ptr<Workers> workers_;
};

}  // namespace opyard::env
