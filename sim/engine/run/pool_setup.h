// Lays the bodies of a plan's kernels down for a run on a machine with memory pools.
#pragma once

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/workspace.h"

namespace opyard::sim {

// Fills PreparedPlan::bodies; empties it where the machine has no pools. REQUIRES: every op of a
// machine with pools has a device, and the kernels are those of the run. O(kernels), and for
// kernels of several ops their inputs and outputs.
void LayBodies(const LoweredProblem& problem, Workspace& workspace);

// Forgets what the last run held in pools and used of their bandwidths.
void ResetPools(const LoweredProblem& problem, Workspace& workspace);

}  // namespace opyard::sim
