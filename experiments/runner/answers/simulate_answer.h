// The answer of `opyard simulate --json`.
#pragma once

#include <optional>
#include <string>

#include "experiments/explain/explanation.h"
#include "experiments/explain/report_json.h"
#include "sim/trace/timeline.h"

namespace opyard::experiments {

// The report of `step` and, if there is one, its explanation.
[[nodiscard]] std::string SimulateJson(const sim::SimulatedStep& step,
                                       const std::optional<Explanation>& explanation,
                                       OpDetail detail);

}  // namespace opyard::experiments
