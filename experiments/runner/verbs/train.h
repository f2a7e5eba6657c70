// `opyard train`: a network over many problems.
#pragma once

#include "experiments/runner/console/console.h"
#include "experiments/runner/verbs/preparation.h"

namespace opyard::experiments {

// Returns the exit code (console.h).
[[nodiscard]] int Train(const PreparationOptions& options, const Console& console);

}  // namespace opyard::experiments
