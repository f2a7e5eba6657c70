// Which groups hold up the end of a step.
#pragma once

#include <vector>

#include "agents/planning/estimates/critical_step.h"
#include "env/problem.h"

namespace opyard::agents {

// [num_groups]: the seconds of the critical path (sim/analysis/critical_path.h) that are a group's:
// those of the kernels of its ops and of the transfers of their outputs, and the waits for them.
// What several ops of a kernel hold, or what waits and what it waits for, is shared evenly.
[[nodiscard]] std::vector<double> CriticalSeconds(const env::Problem& problem,
                                                  const CriticalStep& step);

}  // namespace opyard::agents
