// An experiment as one file, with everything that its own file left to includes, patterns, grids,
// overrides and defaults.
#pragma once

#include <string>

#include "experiments/config/config.h"

namespace opyard::experiments {

// One line of JSON, which is YAML too, that ReadExperiment reads as the same experiment: grids are
// agents of their own, patterns what they stood for. References stay relative to the experiment's
// folder. REQUIRES: the experiment was read without problems.
[[nodiscard]] std::string ResolvedText(const ExperimentConfig& config);

}  // namespace opyard::experiments
