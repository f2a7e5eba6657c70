// Configuration of a search for the parameters of an agent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace opyard::experiments {

// A parameter that is tuned, sampled uniformly from [low, high], or its logarithm is.
struct TunedParam {
  std::string name;
  double low = 0.0;
  double high = 0.0;
  bool is_log = false;
  std::string place;  // where it stands, for messages: "FILE:LINE:COL"
};

struct TuningConfig {
  std::vector<TunedParam> space;    // empty: the experiment tunes nothing
  std::int64_t trials = 27;         // sets of parameters, that of the experiment included
  std::int64_t shrink = 3;          // one in so many trials goes on to so many times the problems
  std::int64_t first_problems = 6;  // of the first round
};

// The space as a JSON object: equal text, equal space.
[[nodiscard]] std::string TuningSpaceJson(const TuningConfig& tuning);

}  // namespace opyard::experiments
