// The answer of `opyard simulate --json`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/explain/explanation.h"
#include "experiments/explain/report_json.h"
#include "sim/analysis/timeline.h"

namespace opyard::experiments {

// The report of `step` and, if there is one, its explanation. `needs` as for ReportObject.
[[nodiscard]] std::string SimulateJson(const sim::SimulatedStep& step,
                                       const std::optional<Explanation>& explanation,
                                       OpDetail detail,
                                       const std::vector<MemoryNeed>& needs);

}  // namespace opyard::experiments
