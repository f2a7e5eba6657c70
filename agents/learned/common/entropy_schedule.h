// The weight of entropy in an update, from the first update of a training to its end.
#pragma once

#include <cstdint>

namespace opyard::agents {

struct EntropySchedule {
  double weight = 0.0;           // at the start, of the mean entropy of a decision, in nats
  double share = 0.0;            // of the budget, over which the weight falls linearly to 0
  std::int64_t num_updates = 0;  // over so many updates instead, if not 0
};

// The progress of a training: what it has behind it since its start.
struct TrainingProgress {
  std::int64_t num_updates = 0;
  double used_share = 0.0;  // of the budget, in [0, 1]
};

// The share of the fall that is behind: in [0, 1]; 0 throughout where neither `share` nor
// `num_updates` is set, so that the weight stays. At 1 the policy is left to settle.
[[nodiscard]] double FallenShare(const EntropySchedule& schedule, const TrainingProgress& progress);

[[nodiscard]] double EntropyWeight(const EntropySchedule& schedule,
                                   const TrainingProgress& progress);

}  // namespace opyard::agents
