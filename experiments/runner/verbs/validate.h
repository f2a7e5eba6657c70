// `opyard validate`: simulates every stored plan again.
#pragma once

#include <string>

#include "experiments/runner/console.h"

namespace opyard::experiments {

struct ValidateOptions {
  std::string results;  // a results folder, or its file
  bool json = false;
};

// Graphs, machines, outcomes and makespans have to be what the runs recorded, to the picosecond.
// kAnswerIsNo, and a line per difference, if any is not.
[[nodiscard]] int ValidateResults(const ValidateOptions& options, const Console& console);

}  // namespace opyard::experiments
