// Measured times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/graph/op.h"

namespace opyard::experiments {

// One thing that was measured, in the order of the file or, in a trace, of the starts.
struct Timing {
  std::string name;
  double seconds = 0.0;

  // Fields of traces only.
  std::string type;                         // as ProfiledTypes says; "" if of no op of the graph
  sim::Phase phase = sim::Phase::kUnknown;  // forward, or backward
  std::int64_t step = -1;                   // which repetition of the graph; −1: not known
  bool is_measured = true;                  // false: it ran, but its time is not in the file
};

// The timings of one file.
struct Timings {
  std::vector<Timing> list;
  sim::Measured measured = sim::Measured::kWithLaunch;  // what the seconds hold
  bool is_trace = false;
  std::int64_t num_lost = 0;  // runs of kernels without a time: records that the profiler lost
};

// `seconds`. Throws InputError naming `place` if it is negative, not finite or above 4.6e6.
[[nodiscard]] double CheckedSeconds(double seconds, const std::string& place);

}  // namespace opyard::experiments
