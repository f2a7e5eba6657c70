// Runs a plan that differs in few ops from one whose run is remembered.
#pragma once

#include <span>

#include "sim/engine/incremental/run_history.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/workspace.h"
#include "sim/plan/op_change.h"
#include "sim/result/sim_result.h"

namespace opyard::sim {

// True if runs of neighbours of `plan` may go on from a state of its run.
[[nodiscard]] bool SupportsCheckpoints(const LoweredProblem& problem, const Plan& plan);

// Runs `plan` as PrepareRun and the engine do, and notes in `history` what ResimulateFrom needs.
[[nodiscard]] SimResult RunWithCheckpoints(const LoweredProblem& problem,
                                           const Plan& plan,
                                           Workspace& workspace,
                                           RunHistory& history);

// Runs the remembered plan with `changes` made, from the last remembered state that none of them
// has touched. The result is that of the whole run, bit for bit; or kCutOff, as Simulator::RunUntil
// says. Throws PlanError if the changed plan does not fit.
[[nodiscard]] SimResult ResimulateFrom(const LoweredProblem& problem,
                                       const RunHistory& history,
                                       std::span<const OpChange> changes,
                                       SimTime limit,
                                       Workspace& workspace);

// The same for `changed`, a whole plan: it may differ in devices and priorities of ops, found in
// O(ops), and in its streams.
[[nodiscard]] SimResult ResimulateFrom(const LoweredProblem& problem,
                                       const RunHistory& history,
                                       const Plan& changed,
                                       SimTime limit,
                                       Workspace& workspace);

}  // namespace opyard::sim
