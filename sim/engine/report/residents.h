// The bytes that devices hold, by what they are.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/recorder.h"
#include "sim/engine/run/workspace.h"
#include "sim/result/sim_result.h"

namespace opyard::sim {

// True if `kernel` is under way as the run stands.
[[nodiscard]] bool IsRunning(const LoweredProblem& problem,
                             const Workspace& workspace,
                             std::size_t kernel);

// The residents of `devices` as the run stands: the parameters of the ops below `end_of_params`,
// outputs, workspaces and copies. Largest first, equals device by device in order of the kernels;
// at most ten.
[[nodiscard]] std::vector<Resident> FindResidents(const LoweredProblem& problem,
                                                  const Workspace& workspace,
                                                  const Recorder& recorder,
                                                  std::span<const DeviceId> devices,
                                                  std::size_t end_of_params);

}  // namespace opyard::sim
