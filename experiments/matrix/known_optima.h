// The table of optima that an experiment names, matched with its problems.
#pragma once

#include "experiments/config/config.h"
#include "experiments/statistics/optima.h"

namespace opyard::experiments {

// Reads the table, from the current folder or else from the experiment's. A row belongs to the
// problem whose graph and machine it names: by the same reference, or by a path, from the table's
// own folder, to the same file. Throws InputError as ReadOptima does, and for two rows of one
// problem. REQUIRES: !config.optima.empty().
[[nodiscard]] KnownOptima ReadKnownOptima(const ExperimentConfig& config);

}  // namespace opyard::experiments
