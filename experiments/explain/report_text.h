// The full report of a simulation as text for people.
#pragma once

#include <string>

#include "experiments/explain/report_json.h"
#include "sim/analysis/timeline.h"
#include "sim/result/sim_result.h"

namespace opyard::experiments {

// Where memory ran out and what held it, or what waits for what: one or more lines. Empty if the
// run completed.
[[nodiscard]] std::string IncompleteText(const sim::SimReport& report);

// Outcome, makespan and bounds, what went wrong if something did, then tables of the devices, of
// the channels and, with kWithOps, of the ops. `needs` as for ReportObject.
[[nodiscard]] std::string ReportText(const sim::SimulatedStep& step,
                                     OpDetail detail,
                                     const std::vector<MemoryNeed>& needs);

}  // namespace opyard::experiments
