// The critical path of a step, and the step that it leads through.
#pragma once

#include <vector>

#include "env/problem.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/timeline.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::agents {

struct CriticalStep {
  sim::Timeline timeline;
  std::vector<sim::CriticalPart> path;  // of the timeline
};

// REQUIRES: `report` is that of `plan` in the queue of the problem (env/plan_queue.h), and it
// completed.
[[nodiscard]] CriticalStep FindCriticalStep(const env::Problem& problem,
                                            const sim::Plan& plan,
                                            const sim::SimReport& report);

}  // namespace opyard::agents
