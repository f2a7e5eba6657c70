// The answer of `opyard graph annotate --json`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/graphs/timing_match.h"
#include "sim/graph/op.h"

namespace opyard::experiments {

// How the timings of a file fit a graph.
struct Annotation {
  std::size_t num_ops = 0;
  std::size_t num_timings = 0;
  sim::Measured measured = sim::Measured::kWithLaunch;  // what the timings hold
  bool is_trace = false;
  std::int64_t num_lost = 0;  // kernels without a time
  TimingMatch match;
  std::vector<std::string> untimed;  // names of ops that take time and have none
  double untimed_flops = 0.0;        // theirs, as a share of the graph's
  double untimed_bytes = 0.0;        // the same of memory traffic

  // Of all seconds of the file, those that no op has.
  [[nodiscard]] double UnmatchedSeconds() const;
};
[[nodiscard]] std::string GraphAnnotateJson(const Annotation& annotation);

}  // namespace opyard::experiments
