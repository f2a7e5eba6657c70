// Detects a policy that has stopped exploring.
#pragma once

#include <cstdint>

#include <torch/torch.h>

namespace opyard::agents {

// A policy has collapsed when several updates in a row sampled nothing but plans that it sampled
// shortly before: one plan again and again, or a few in turn, as where some op takes the same time
// on two devices. A policy that is merely sharp still samples plans that it has not sampled.
class CollapseWatch {
 public:
  // Shortly before: among so many different plans.
  static constexpr std::int64_t kNumKnownPlans = 64;

  // Counts updates up to `num_updates`; with 0, nothing is a collapse.
  CollapseWatch(std::int64_t num_updates, std::int64_t num_groups);

  // One update: what was chosen, int64 [K, G], on the CPU.
  void Observe(const torch::Tensor& choices);
  [[nodiscard]] bool sees_collapse() const {
    return num_updates_ > 0 && state_.num_stale >= num_updates_;
  }

  // The memory of the watch, for a checkpoint.
  struct State {
    torch::Tensor known_plans;        // int64 [kNumKnownPlans, G], a ring; -1 where none is yet
    std::int64_t num_known_ever = 0;  // how many went into the ring
    std::int64_t num_stale = 0;       // updates in a row without a new plan
  };
  [[nodiscard]] const State& state() const { return state_; }
  void Restore(const State& state);

 private:
  [[nodiscard]] bool Knows(const torch::Tensor& plan) const;

  std::int64_t num_updates_;
  State state_;
};

}  // namespace opyard::agents
