#include "agents/learned/common/collapse_watch.h"

namespace opyard::agents {

CollapseWatch::CollapseWatch(std::int64_t num_updates, std::int64_t num_groups)
    : num_updates_(num_updates),
      state_{.known_plans = torch::full({kNumKnownPlans, num_groups}, -1, torch::kLong)} {}

void CollapseWatch::Observe(const torch::Tensor& choices) {
  bool is_stale = true;
  for (std::int64_t sample = 0; sample < choices.size(0); ++sample) {
    const torch::Tensor plan = choices[sample];  // [G]
    if (Knows(plan)) {
      continue;
    }
    is_stale = false;
    state_.known_plans[state_.num_known_ever % kNumKnownPlans].copy_(plan);
    ++state_.num_known_ever;
  }
  state_.num_stale = is_stale ? state_.num_stale + 1 : 0;
}

void CollapseWatch::Restore(const State& state) {
  state_ = state;
  state_.known_plans = state.known_plans.clone();
}

bool CollapseWatch::Knows(const torch::Tensor& plan) const {
  return (state_.known_plans == plan).all(1).any().item<bool>();
}

}  // namespace opyard::agents
