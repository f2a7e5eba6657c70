// The answer of `opyard graph annotate --json`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/runner/graphs/op_timings.h"
#include "sim/graph/op.h"

namespace opyard::experiments {

// How the timings of a file fit a graph.
struct Annotation {
  std::size_t num_ops = 0;
  std::size_t num_timings = 0;
  sim::Measured measured = sim::Measured::kWithLaunch;  // what the timings hold
  TimingMatch match;
  std::vector<std::string> untimed;  // names of ops that take time and have none
};
[[nodiscard]] std::string GraphAnnotateJson(const Annotation& annotation);

}  // namespace opyard::experiments
