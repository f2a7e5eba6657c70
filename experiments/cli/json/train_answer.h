// The answer of `opyard train` as JSON.
#pragma once

#include <string>

#include "experiments/training/training.h"

namespace opyard::experiments {

// One line; what its keys mean stands in docs/formats.md, "Training".
[[nodiscard]] std::string TrainJson(const TrainingRequest& request,
                                    const std::string& weights,
                                    const TrainingAnswer& answer);

}  // namespace opyard::experiments
