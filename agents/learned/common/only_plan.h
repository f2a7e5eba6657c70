// The plan of a problem that leaves a placement no choice.
#pragma once

#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// The default device of each group and, where scheduling is a task, the upward ranks as priorities.
[[nodiscard]] sim::Plan OnlyPlan(const env::Problem& problem);

}  // namespace opyard::agents
