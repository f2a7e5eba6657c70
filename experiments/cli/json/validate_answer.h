// The answer of `opyard validate --json`.
#pragma once

#include <string>

#include "experiments/maintenance/validation.h"

namespace opyard::experiments {

// Bytes of a damaged store that are not UTF-8 are replaced.
[[nodiscard]] std::string ValidateJson(const Validation& validation);

}  // namespace opyard::experiments
