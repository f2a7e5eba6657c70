// The baseline of an episode that is rewarded step by step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace opyard::agents {

// Per index of a step, the mean over the last episodes: what was to be gained from there on
// differs from step to step far more than from episode to episode.
class StepBaseline {
 public:
  // The mean over the last `num_episodes`. REQUIRES: num_episodes > 0.
  explicit StepBaseline(std::int64_t num_episodes) : num_episodes_(num_episodes) {}

  // Remembers the returns of one episode, [steps].
  void Add(std::vector<double> returns);
  // `returns` − baseline, [steps]; 0 where no episode that is remembered had such a step.
  [[nodiscard]] std::vector<double> Advantages(std::span<const double> returns) const;
  void Clear() { episodes_.clear(); }

  // The episodes that are remembered, the oldest first.
  [[nodiscard]] const std::deque<std::vector<double>>& episodes() const { return episodes_; }

 private:
  // Nothing where no episode had a step `step`.
  [[nodiscard]] std::optional<double> MeanAt(std::size_t step) const;

  std::int64_t num_episodes_;
  std::deque<std::vector<double>> episodes_;
};

// The gain from each step on: returns[t] = rewards[t] + discount · returns[t + 1].
[[nodiscard]] std::vector<double> DiscountedReturns(std::span<const double> rewards,
                                                    double discount);

}  // namespace opyard::agents
