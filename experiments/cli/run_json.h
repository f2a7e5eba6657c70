// The answer of `opyard run --json`.
#pragma once

#include <string>

#include "experiments/config/config.h"
#include "experiments/matrix/experiment_run.h"

namespace opyard::experiments {

// Every cell of the matrix, and every agent on every problem.
[[nodiscard]] std::string RunJson(const ExperimentConfig& config, const ExperimentAnswer& answer);

}  // namespace opyard::experiments
