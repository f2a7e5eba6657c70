// Brings a workspace into the state of time 0.
#pragma once

#include <cstdint>

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/workspace.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// Whether a Recorder will watch the run.
enum class Recording : std::uint8_t { kNo, kYes };

// Places and prioritises the kernels of `plan` and empties everything else. Throws PlanError if the
// plan does not fit the problem.
void PrepareRun(const LoweredProblem& problem,
                const Plan& plan,
                Workspace& workspace,
                Recording recording = Recording::kNo);

// The same for a run that stops at choices (stepwise_run.h): ops may be on KernelState::kNoDevice.
// Throws UnsupportedError under rules placeto, and where ops without a device may fuse or lack a
// route.
void PrepareStepwiseRun(const LoweredProblem& problem, const Plan& plan, Workspace& workspace);

}  // namespace opyard::sim
