// Turns the records of a finished run into a report in the graph's own terms.
#pragma once

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/recorder.h"
#include "sim/engine/run/workspace.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::sim {

// The plan bound of `plan`, for which `workspace` was prepared.
[[nodiscard]] SimTime BoundOfPreparedPlan(const LoweredProblem& problem,
                                          const Plan& plan,
                                          const Workspace& workspace);

// `workspace` and `recorder` as the run of `plan` left them. The problem bound is left at 0.
[[nodiscard]] SimReport BuildReport(const LoweredProblem& problem,
                                    const Plan& plan,
                                    const SimResult& result,
                                    const Workspace& workspace,
                                    const Recorder& recorder);

}  // namespace opyard::sim
