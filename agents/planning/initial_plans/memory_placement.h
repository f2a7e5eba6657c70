// Placements that consider nothing but memory, for problems where better ones do not fit.
#pragma once

#include "agents/planning/estimates/group_memory.h"
#include "env/evaluator.h"
#include "env/group_placement.h"
#include "env/problem.h"
#include "sim/base/ids.h"

namespace opyard::agents {

// The device with most room left that `group` may be on: among those of the main kind that have
// room for it, else among all that have, else among all. The first of equals.
[[nodiscard]] DeviceId RoomiestDevice(const env::Problem& problem,
                                      const GroupMemory& memory,
                                      std::size_t group);

// Groups by falling bytes (GroupBytes), each where it leaves the fullest device most room; copies
// of what groups read from other devices count as well. [num_groups]
[[nodiscard]] env::GroupPlacement PlacementBySize(const env::Problem& problem);

// Evaluates that placement if placement is a task and the budget has room.
void EvaluateBySize(const env::Problem& problem, env::Evaluator& evaluator);

}  // namespace opyard::agents
