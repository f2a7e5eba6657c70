// Executes what PrepareRun, or a state to go on from, has laid down in a workspace.
#pragma once

#include <optional>

#include "sim/base/units.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/recorder.h"
#include "sim/engine/run/run_history.h"
#include "sim/engine/run/workspace.h"
#include "sim/plan/plan.h"
#include "sim/trace/sim_result.h"

namespace opyard::sim {

// What a run does beside running.
struct RunOptions {
  Recorder* recorder = nullptr;       // writes spans down
  RunHistory* history = nullptr;      // keeps states on the way
  std::optional<SimTime> limit;       // as Simulator::RunUntil says
  const RunProgress* from = nullptr;  // goes on from here instead of time 0
};

// With the build that has just the parts which the run needs.
[[nodiscard]] SimResult ExecutePrepared(const LoweredProblem& problem,
                                        const Plan& plan,
                                        Workspace& workspace,
                                        const RunOptions& options);

}  // namespace opyard::sim
