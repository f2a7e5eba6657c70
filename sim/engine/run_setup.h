// Brings a workspace into the state of time 0.
#pragma once

#include <optional>

#include "sim/engine/lowered_problem.h"
#include "sim/engine/recorder.h"
#include "sim/engine/workspace.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// True if waiting transfers have to be looked at one by one, not by pairs of devices.
[[nodiscard]] inline bool ScansTransfers(const LoweredProblem& problem) {
  return problem.waits_for_memory || problem.is_placeto || problem.one_per == OnePer::kOutput;
}

// Places and prioritises the kernels of `plan` and empties everything else. Throws PlanError if the
// plan does not fit the problem.
void PrepareRun(const LoweredProblem& problem, const Plan& plan, Workspace& workspace);

// Gives what a run writes its room, and empties what it leaves behind.
void ResetScratch(const LoweredProblem& problem, Workspace& workspace);

// Takes the parameters of all ops, in order. Returns the first that do not fit, if any.
[[nodiscard]] std::optional<FailedAllocation> AllocateParams(const LoweredProblem& problem,
                                                             Workspace& workspace);

}  // namespace opyard::sim
