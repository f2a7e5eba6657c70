#include "agents/learned/common/step_baseline.h"

#include <utility>

namespace opyard::agents {

void StepBaseline::Add(std::vector<double> returns) {
  episodes_.push_back(std::move(returns));
  if (std::ssize(episodes_) > num_episodes_) {
    episodes_.pop_front();
  }
}

std::vector<double> StepBaseline::Advantages(std::span<const double> returns) const {
  std::vector<double> advantages;
  advantages.reserve(returns.size());
  for (std::size_t step = 0; step < returns.size(); ++step) {
    advantages.push_back(returns[step] - MeanAt(step).value_or(returns[step]));
  }
  return advantages;
}

std::optional<double> StepBaseline::MeanAt(std::size_t step) const {
  double sum = 0.0;
  std::int64_t count = 0;
  for (const std::vector<double>& episode : episodes_) {
    if (step < episode.size()) {
      sum += episode[step];
      ++count;
    }
  }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

std::vector<double> DiscountedReturns(std::span<const double> rewards, double discount) {
  std::vector<double> returns(rewards.begin(), rewards.end());
  for (std::size_t step = returns.size(); step-- > 1;) {
    returns[step - 1] += discount * returns[step];
  }
  return returns;
}

}  // namespace opyard::agents
