#include "env/parallel/thread_pool.h"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sim/base/check.h"
#include "sim/base/thread_clock.h"

namespace opyard::env {
namespace {

class ThreadPoolTest : public ::testing::TestWithParam<std::size_t> {};

TEST_P(ThreadPoolTest, EachItemIsDoneOnce) {
  ThreadPool pool(GetParam());
  std::vector<std::atomic<int>> done(1000);

  const std::size_t taken = pool.ForEach(done.size(), [&](std::size_t, std::size_t item) {
    ++done[item];
    return true;
  });

  EXPECT_EQ(taken, 1000U);
  for (const auto& count : done) {
    EXPECT_EQ(count.load(), 1);
  }
}

TEST_P(ThreadPoolTest, WhatWasTakenIsAPrefixAndIsDone) {
  ThreadPool pool(GetParam());
  std::vector<std::atomic<int>> done(1000);

  const std::size_t taken = pool.ForEach(done.size(), [&](std::size_t, std::size_t item) {
    ++done[item];
    return item != 100;
  });

  ASSERT_GE(taken, 101U);  // items 0 … 100 were taken in order
  for (std::size_t i = 0; i < done.size(); ++i) {
    EXPECT_EQ(done[i].load(), i < taken ? 1 : 0) << "item " << i;
  }
}

// The processor time that the calling thread spends meanwhile, at least `seconds`.
double Work(double seconds) {
  const ThreadClock clock = ThreadClock::OfThisThread();
  const double begin = clock.seconds();
  while (clock.seconds() - begin < seconds) {
  }
  return clock.seconds() - begin;
}

TEST_P(ThreadPoolTest, ProcessorTimeIsThatOfItsThreadsAndNotOfTheCaller) {
  ThreadPool pool(GetParam());
  std::vector<double> worked_s(pool.num_threads());  // by worker
  for (int batch = 0; batch < 3; ++batch) {
    pool.ForEach(20, [&](std::size_t worker, std::size_t) {
      worked_s[worker] += Work(0.002);
      return true;
    });
  }
  const double of_threads_s = std::accumulate(worked_s.begin() + 1, worked_s.end(), 0.0);

  EXPECT_GE(pool.cpu_seconds(), of_threads_s);
  EXPECT_LT(pool.cpu_seconds(), of_threads_s + 0.02);  // to wake up: microseconds each
}

TEST_P(ThreadPoolTest, TheLowestItemThatThrowsIsTheOneReported) {
  ThreadPool pool(GetParam());

  for (int repetition = 0; repetition < 50; ++repetition) {
    try {
      pool.ForEach(200, [](std::size_t, std::size_t item) -> bool {
        if (item >= 70) {
          throw std::runtime_error(std::to_string(item));
        }
        return true;
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "70");
    }
  }
}

TEST_P(ThreadPoolTest, WorksAgainAfterAnException) {
  ThreadPool pool(GetParam());
  EXPECT_THROW(
      pool.ForEach(10,
                   [](std::size_t, std::size_t) -> bool { throw std::runtime_error("expected"); }),
      std::runtime_error);

  std::atomic<int> count = 0;
  const std::size_t taken = pool.ForEach(10, [&](std::size_t, std::size_t) {
    ++count;
    return true;
  });

  EXPECT_EQ(taken, 10U);
  EXPECT_EQ(count.load(), 10);
}

TEST_P(ThreadPoolTest, WorkersAreNumberedBelowTheNumberOfThreads) {
  ThreadPool pool(GetParam());
  std::atomic<std::size_t> largest = 0;

  pool.ForEach(500, [&](std::size_t worker, std::size_t) {
    std::size_t seen = largest.load();
    while (worker > seen && !largest.compare_exchange_weak(seen, worker)) {
    }
    return true;
  });

  EXPECT_LT(largest.load(), GetParam());
}

TEST_P(ThreadPoolTest, NoItemsMeansNoCalls) {
  ThreadPool pool(GetParam());

  const std::size_t taken =
      pool.ForEach(0, [](std::size_t, std::size_t) -> bool { throw std::logic_error("called"); });

  EXPECT_EQ(taken, 0U);
}

TEST_P(ThreadPoolTest, OneItemRunsInTheCaller) {
  ThreadPool pool(GetParam());
  std::thread::id ran_in;

  pool.ForEach(1, [&](std::size_t worker, std::size_t) {
    ran_in = std::this_thread::get_id();
    return worker == 0;
  });

  EXPECT_EQ(ran_in, std::this_thread::get_id());
}

INSTANTIATE_TEST_SUITE_P(OneAndManyThreads, ThreadPoolTest, ::testing::Values(1, 2, 4));

TEST(ThreadPoolLimitsTest, NoThreadsAreRefused) {
  EXPECT_THROW(ThreadPool(0), InternalError);
}

TEST(ThreadPoolLimitsTest, ThisProcessHasACore) {
  EXPECT_GE(ThreadPool::DefaultNumThreads(), 1U);
}

}  // namespace
}  // namespace opyard::env
