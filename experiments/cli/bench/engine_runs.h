// The time of the engine alone, which what is built upon it is measured against.
#pragma once

#include <span>
#include <vector>

#include "env/problem.h"
#include "sim/base/interrupt.h"
#include "sim/engine/run/workspace.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// Wall seconds in which the engine runs each of `plans` once, on as many threads as there are
// `workspaces`: thread i runs plans i, i + n, i + 2 n, … of n threads. Ends early if interrupted:
// many plans may take a third of a second. Throws PlanError for a plan that does not fit.
[[nodiscard]] double TimeRuns(const env::Problem& problem,
                              std::span<const sim::Plan> plans,
                              std::vector<sim::Workspace>& workspaces,
                              const InterruptFlag& interrupt);

}  // namespace opyard::experiments
