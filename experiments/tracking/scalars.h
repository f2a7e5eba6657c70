// Figures of a run at one of its steps, for programs that show them while it goes on.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace opyard::experiments {

// By name ("search/best_score"), in the order in which they are written.
using Scalars = std::vector<std::pair<std::string, double>>;

// Where in its run, and when, they are from.
struct ScalarsPlace {
  std::int64_t step = 0;
  double unix_time_s = 0.0;
};

}  // namespace opyard::experiments
