// The answer of `opyard tune` as JSON.
#pragma once

#include <string>

#include "experiments/tuning/tuning.h"

namespace opyard::experiments {

// One line; what its keys mean stands in docs/formats.md, "Tuning".
[[nodiscard]] std::string TuneJson(const TuningRequest& request,
                                   const std::string& tuned,
                                   const TuningAnswer& answer);

}  // namespace opyard::experiments
