// Measured times.
#pragma once

#include <string>
#include <vector>

#include "sim/graph/op.h"

namespace opyard::experiments {

// One thing that was measured, in the order of the file or, in a trace, of the starts.
struct Timing {
  std::string name;
  double seconds = 0.0;
};

// What one file tells.
struct Timings {
  std::vector<Timing> list;
  sim::Measured measured = sim::Measured::kWithLaunch;  // what the seconds hold
};

// `seconds`. Throws InputError naming `place` if it is negative, not finite or above 4.6e6.
[[nodiscard]] double CheckedSeconds(double seconds, const std::string& place);

}  // namespace opyard::experiments
