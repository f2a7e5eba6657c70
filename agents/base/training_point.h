// The training curve of an agent that learns, update by update.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace opyard::agents {

// One point of a training curve: what one update of the policy saw and did.
struct TrainingPoint {
  std::int64_t num_updates = 0;  // made so far, this one included; grows from point to point
  // By name: snake_case, with the unit where there is one ("loss", "entropy", "makespan_s"). What
  // is unknown is left out.
  std::map<std::string, double> values;
};

// Called after each update in the thread that searches. Empty: nobody listens.
using TrainingListener = std::function<void(const TrainingPoint&)>;

}  // namespace opyard::agents
