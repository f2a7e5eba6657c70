// The answer of `opyard results best-known --json`.
#pragma once

#include <string>
#include <vector>

#include "experiments/statistics/best_known.h"

namespace opyard::experiments {

// Every plan, and the head-rooms.
[[nodiscard]] std::string BestKnownJson(const std::vector<BestKnownPlan>& plans);

}  // namespace opyard::experiments
