#include "experiments/cli/bench/engine_runs.h"

#include <barrier>
#include <chrono>
#include <cstddef>
#include <exception>
#include <thread>

#include "sim/base/check.h"
#include "sim/engine/simulator.h"

namespace opyard::experiments {
namespace {

using Clock = std::chrono::steady_clock;

// The share of one thread.
struct RunShare {
  std::size_t first = 0;
  std::size_t stride = 1;
};

void RunPlans(const env::Problem& problem,
              std::span<const sim::Plan> plans,
              const RunShare& share,
              sim::Workspace& workspace,
              const InterruptFlag& interrupt) {
  for (std::size_t i = share.first; i < plans.size() && !interrupt.is_raised(); i += share.stride) {
    static_cast<void>(problem.simulator().Run(plans[i], workspace));
  }
}

}  // namespace

double TimeRuns(const env::Problem& problem,
                std::span<const sim::Plan> plans,
                std::vector<sim::Workspace>& workspaces,
                const InterruptFlag& interrupt) {
  const std::size_t num_threads = workspaces.size();
  OPYARD_CHECK(num_threads >= 1, "runs need a thread");
  std::vector<std::exception_ptr> errors(num_threads);
  std::barrier start(static_cast<std::ptrdiff_t>(num_threads));
  const auto work = [&](std::size_t worker) {
    start.arrive_and_wait();
    try {
      RunPlans(
          problem, plans, {.first = worker, .stride = num_threads}, workspaces[worker], interrupt);
    } catch (...) {
      errors[worker] = std::current_exception();
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t worker = 1; worker < num_threads; ++worker) {
    others.emplace_back(work, worker);
  }
  const Clock::time_point begin = Clock::now();
  work(0);
  others.clear();  // joins
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  for (const std::exception_ptr& error : errors) {
    if (error != nullptr) {
      std::rethrow_exception(error);
    }
  }
  return seconds;
}

}  // namespace opyard::experiments
