// `opyard validate`: simulates every stored plan again.
#pragma once

#include <string>

#include "experiments/runner/console/console.h"

namespace opyard::experiments {

struct ValidateOptions {
  std::string results;  // a results folder, or its file
  bool json = false;
};

// Outcomes and makespans have to be what the runs recorded, to the picosecond, on the graphs and
// machines that the store holds; a store without them needs those of the runs unchanged.
// kAnswerIsNo, and a line per run, if any differs or its plan is damaged. Throws InputError for a
// file that is no store, or damaged as a whole.
[[nodiscard]] int ValidateResults(const ValidateOptions& options, const Console& console);

}  // namespace opyard::experiments
