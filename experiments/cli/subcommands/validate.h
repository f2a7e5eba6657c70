// `opyard validate`: simulates every stored plan again.
#pragma once

#include <string>

#include "experiments/console/console.h"

namespace opyard::experiments {

struct ValidateOptions {
  std::string results;  // a results folder, or its file; or best known plans
  bool json = false;
};

// Prints what ValidateStore (validation.h) or ValidateBestKnown finds. kAnswerIsNo, and a line per
// run, if any differs or its plan is damaged.
[[nodiscard]] int ValidateResults(const ValidateOptions& options, const Console& console);

}  // namespace opyard::experiments
