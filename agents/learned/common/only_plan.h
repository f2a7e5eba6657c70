// The plan of a problem that leaves a learned agent nothing to choose.
#pragma once

#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// The default device of each group; where scheduling is a task, priorities are the upward ranks.
[[nodiscard]] sim::Plan OnlyPlan(const env::Problem& problem);

}  // namespace opyard::agents
