// The least time in which memory pools can move the bytes of a plan.
#pragma once

#include "sim/base/units.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/workspace.h"

namespace opyard::sim {

// The greatest, over the memory pools of the machine, of the bytes of their kernels by the pool's
// bandwidth; 0 without pools. `workspace` was prepared for the plan. O(kernels).
[[nodiscard]] SimTime PoolBound(const LoweredProblem& problem, const Workspace& workspace);

}  // namespace opyard::sim
