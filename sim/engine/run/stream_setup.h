// The streams of a plan, laid down before a run begins.
#pragma once

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/workspace.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// Leaves the streams of `plan` in the scratch of `workspace`. False where ValidatePlan refuses
// them. REQUIRES: each op of the plan has a device.
[[nodiscard]] bool FindStreamsOfPlan(const LoweredProblem& problem,
                                     const Plan& plan,
                                     Workspace& workspace);

// Makes streams of kernels out of those of ops, and their first kernels the heads: a kernel stands
// where the first of its ops stands. Without streams, none. REQUIRES: FindStreamsOfPlan found them;
// the kernels of the run are known.
void LayStreams(const Plan& plan, Workspace& workspace);

}  // namespace opyard::sim
