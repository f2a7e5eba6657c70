// The course of a search that learns on one problem: random numbers, schedule and fresh starts.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "agents/learned/common/collapse_watch.h"
#include "agents/learned/common/entropy_schedule.h"
#include "env/evaluator.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// Deterministic in the seed and the evaluations of the budget; with a budget in seconds alone
// progress follows the clock. Update u samples from its own stream of the seed, and so do the
// weights of each policy. Used by one thread at a time.
class SearchCourse {
 public:
  struct Options {
    EntropySchedule entropy;
    std::int64_t restart_updates = 0;  // of CollapseWatch
    std::int64_t num_decisions = 0;    // of a plan
    std::uint64_t seed = 0;
  };
  explicit SearchCourse(const Options& options);

  // That the weights of the policy at hand are sampled from.
  [[nodiscard]] Rng WeightStream() const;
  // That the plans of the next update are sampled from.
  [[nodiscard]] Rng UpdateStream() const;
  // The progress of the policy at hand, since it was fresh.
  [[nodiscard]] TrainingProgress Progress(const env::Evaluator& evaluator) const;

  // Counts an update that began at `progress` and sampled `choices`, int64 [K, num_decisions], on
  // the CPU. True if a fresh policy takes over: the one at hand collapsed while it was paid for
  // entropy. Then WeightStream and Progress are the fresh one's.
  bool IsOverAfter(const torch::Tensor& choices,
                   const TrainingProgress& progress,
                   const env::Evaluator& evaluator);

  [[nodiscard]] std::int64_t num_updates() const { return num_updates_; }
  [[nodiscard]] std::int64_t num_restarts() const { return num_restarts_; }

 private:
  [[nodiscard]] Rng StreamOf(std::uint64_t stream) const;

  Options options_;
  CollapseWatch watch_;
  std::int64_t num_updates_ = 0;
  std::int64_t num_restarts_ = 0;
  // The progress of the policy at hand, since it was fresh.
  std::int64_t own_updates_ = 0;
  std::int64_t own_evaluations_ = 0;
  double share_at_start_ = 0.0;  // of a budget in seconds
};

}  // namespace opyard::agents
