// Executes what PrepareRun, or a state to go on from, has laid down in a workspace.
#pragma once

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/run_options.h"
#include "sim/engine/run/workspace.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::sim {

// With the build that has just the parts which the run needs.
[[nodiscard]] SimResult ExecutePrepared(const LoweredProblem& problem,
                                        const Plan& plan,
                                        Workspace& workspace,
                                        const RunOptions& options);

}  // namespace opyard::sim
