// `opyard train`: a network over many problems.
#pragma once

#include "experiments/cli/subcommands/preparation.h"
#include "experiments/console/console.h"

namespace opyard::experiments {

// Returns the exit code (console.h).
[[nodiscard]] int Train(const PreparationOptions& options, const Console& console);

}  // namespace opyard::experiments
