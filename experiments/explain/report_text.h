// The full report of a simulation as text for people.
#pragma once

#include <string>

#include "experiments/explain/report_json.h"
#include "sim/analysis/timeline.h"

namespace opyard::experiments {

// Outcome, makespan and bounds, what went wrong if something did, then tables of the devices, of
// the channels and, with kWithOps, of the ops. `needs` as for ReportObject.
[[nodiscard]] std::string ReportText(const sim::SimulatedStep& step,
                                     OpDetail detail,
                                     const std::vector<MemoryNeed>& needs);

}  // namespace opyard::experiments
